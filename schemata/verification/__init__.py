"""Is a schema right? Whether it derives exactly the trees of a class, or the linkages of a sentence, and why not."""
