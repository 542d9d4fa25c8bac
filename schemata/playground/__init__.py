"""The page in the browser: answers to its questions, the folder that holds it, and the server on this machine."""
