"""Every number at which the package changes its method, named in one place, so that tests can set each of them.

There are three sorts. `WAYS` choose between two ways to one answer: which engine runs, which table stores items, how
much is kept. The answer is the same on both sides. `EFFORTS` bound a search: beyond them an answer is unknown, a lower
bound, or of fewer examples, and says so. `REFUSALS` bound the accepted inputs: beyond them there is a message.

`changed` sets some of them for a while. docs/engine.md lists all with their values.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping


class Ways:
    """The limits between two ways to the same answer."""

    on_disk_steps: int = 150_000
    """Step instances after which one run goes over to a native kernel that is on disk."""
    on_disk_seconds: float = 0.03
    """The same in processor seconds, for sentences that are not short."""
    lost_seconds: float = 0.045
    """Processor seconds that native code would have saved in a loop of runs, after which it is loaded from disk."""
    lost_seconds_with_numpy: float = 0.015
    """The same where NumPy is loaded already, which takes longer than all the rest."""
    compared_runs: int = 1
    """Runs in Python after which their cost is known; natively one more."""
    kept_costs: int = 4
    """Runs of a length whose costs are remembered."""
    not_made_steps: int = 2_000_000
    """Step instances after which one run has a native kernel compiled."""
    not_made_seconds: float = 2.0
    """The same in seconds."""
    many_on_disk_steps: int = 50_000
    """Step instances of many sentences after which they share a native kernel that is on disk."""
    many_not_made_steps: int = 400_000
    """Step instances of many sentences after which a native kernel is compiled for them."""
    left_seconds: float = 2.0
    """Seconds that are left of a budget where machine code is read from disk."""
    left_seconds_to_make: float = 10.0
    """Seconds that are left of a budget where machine code is made."""
    in_memory_steps: int = 2_000
    """Step instances after which a run goes over to a native kernel that is in memory."""
    untimed_words: int = 10
    """Words up to which seconds in Python do not count."""
    sparse_share: float = 0.2
    """Share of all links: a grammar that licenses less runs by the agenda where tables are large."""
    proof_seconds: float = 5.0
    """Seconds of the processor that a run waits for a proof of an order, once."""
    sparse_places: int = 1_000_000
    """Places of tables from which on it matters that a grammar licenses few links."""
    slice_work: int = 50_000
    """Units of work of a run in Python between two checks of its budget."""
    kept_kernels: int = 16
    """Kernels for Python that are kept in memory."""
    checked_steps: int = 200_000
    """Step instances up to which structures are counted, to warn of sums over derivations exactly."""
    control_gain: float = 1e-9
    """What rounding may add to a weight, where items are taken best first."""
    kept_measures: int = 64
    """Lengths of sentences whose measures are kept."""
    dense_bytes: int = 768 << 20
    """Bytes of a table of items from which on native storage is hashed."""
    dense_places: int = 1 << 22
    """Places of a table of items from which on storage in Python is hashed."""
    met_places: int = 1024
    """Places for the instances met in a turn, at first."""
    noted_entries: int = 1 << 18
    """Entries of the log of first back-pointers that hashed kernels note as they go."""
    arena_room: int = 1 << 12
    """Numbers in the arena of join lists at first."""
    rewriting_room: int = 1 << 10
    """Numbers of the writings of one item at first."""
    log_room: int = 1 << 10
    """Numbers of a log of all back-pointers at first."""
    row_work: int = 1 << 22
    """Units of work of a kernel that lists step instances, before it returns to its driver."""
    set_room: int = 1 << 12
    """Places for the instances that one item's rules find in a proved order, at first."""
    byte_values: int = 1 << 8
    """Values of a variable below which compact back-pointers have a byte for it."""
    short_values: int = 1 << 16
    """The same for two bytes; beyond, four."""
    binomial_columns: int = 8
    """Columns of the table of binomial coefficients; a chain of columns that is one digit is shorter."""
    decoded_sentences: int = 256
    """Sentences of a trained parser that are decoded at once."""
    thread_sentences: int = 16
    """Sentences for each thread of a decoder at least: a thread costs more than a short sentence."""
    far_score: float = 1e5
    """Distance from 0 of a score from which on the roots of a decoder's trees are not told apart by lowered scores."""
    listed_words: int = 1_000
    """Words of a sentence up to which the pairs that a grammar licenses are listed in a set."""
    search_nodes: int = 64
    """Nodes of a search over constraints between two looks at the clock."""
    fan_words: int = 30
    """Words up to which each list has a place for every list that is longer by a position."""
    slice_seconds: float = 0.05
    """Seconds that a kernel works before it returns to its driver."""
    first_work: int = 20_000
    """Units of work in the first slice of a kernel."""
    least_work: int = 1_000
    """Units of work in a slice at least."""
    most_work: int = 1 << 30
    """Units of work in a slice at most."""
    block_lines: int = 1500
    """Lines of blocks from which on a kernel's turn is cut into functions."""
    part_lines: int = 300
    """Lines of such a function."""
    kept_answers: int = 1 << 14
    """Answers of a query that are kept from run to run."""
    pool_entries: int = 1 << 18
    """Entries of the pool of answers from which on no more are remembered."""
    chain_columns: int = 3
    """Columns of a chain that is one digit of a place."""
    packed_keys: int = 1 << 60
    """Keys of dense tables are below; larger tables are hashed."""
    binomial_rows: int = 64
    """Rows by which the table of binomial coefficients grows."""
    key_columns: int = 4
    """Columns of a key of a join list."""
    carried_columns: int = 2
    """Columns that an entry of a join list carries; more are looked up."""
    ranged_columns: int = 2
    """Columns of a partner that are known, up to which a range of the next one has an index."""
    tuple_parts: int = 3
    """Parts of tuples in lists that kernels handle themselves."""
    unpacked_lists: int = 4
    """Lists that one query unpacks in a kernel."""
    ordered_places: int = (1 << 31) - 2
    """Places of all tables of a proved order (half as many with normal forms); larger ones run by the agenda."""
    ordered_met: int = 1 << 24
    """Places for the instances that one item's rules find; beyond, a run goes by the agenda."""
    kept_lengths: int = 64
    """Lengths of sentences whose tables are kept."""
    kept_bytes: int = 1 << 24
    """Bytes of the tables of a sentence that are kept for the next one (16 MiB)."""
    spread_places: int = 50_000_000
    """Places whose numbers are looked up in an array; beyond, in a sorted list."""
    ordered_columns: int = 5
    """Columns of items that kernels in a proved order have tables for."""
    ordered_writings: int = 64
    """Writings of one item in kernels in a proved order."""
    derived_constraints: int = 200
    """Constraints that elimination adds for one variable of a loop."""
    threadless_places: int = 200_000
    """Places of tables up to which they are filled without a thread."""
    wait_seconds: float = 0.02
    """Seconds between two looks at the budget while a thread fills tables."""
    optimised_lines: int = 40_000
    """Lines of a function's text for LLVM from which on fewer optimisations are made."""
    regions_apart: int = 40
    """Regions of items from which on each has a function of its own in kernels that weigh."""
    array_steps: int = 50
    """Step instances from which on a forest is read in arrays."""
    numpy_steps: int = 200_000
    """The same where NumPy has to be imported first."""
    few_states: int = 10
    """Structures listed without enumerating all hyperedges, and states found at once at first."""
    states_at_once: int = 90
    """States found one after the other before the caller goes on."""
    newton_slow: int = 12
    """Rounds after which a doubled step is tried."""
    newton_settled: float = 1e-9
    """Relative change after so many rounds that is put down to rounding."""
    limbs: int = 1 << 12
    """Limbs of counts of derivations that there is room for at first."""
    count_work: int = 200_000_000
    """Products of limbs made before a kernel that counts derivations returns to its driver."""
    edges_together: int = 1_000_000
    """Hyperedges summed up at once."""
    split_kinds: int = 4
    """Alternatives of a condition on one form that become kinds."""
    writings_room: int = 32
    """Writings for which there is room at first."""
    kept_writings: int = 10_000
    """Items whose writings are kept."""
    kept_rewritings: int = 64
    """Programs whose rewriting is kept."""
    watch_seconds: float = 0.1
    """Seconds between two looks of the thread that watches runs, and of one that waits for machine code."""
    watch_again: int = 10
    """Looks after which a run over its limit is interrupted again."""
    cached_files: int = 500
    """Files of a kind in the user's cache folder."""
    shards_ahead: int = 4
    """Shards under way for each process."""
    kept_inputs: int = 64
    """Choices of lengths of several inputs whose kernels are kept."""
    kept_licences: int = 64
    """Words up to which licences are kept."""
    alternatives: int = 64
    """Alternatives that one condition becomes; beyond, it is tested as a whole."""
    kept_sequences: int = 1 << 16
    """Sequences of labels that are kept."""
    poor_share: float = 0.5
    """Instances per candidate below which a join is said to select badly."""
    profile_repeats: int = 5
    """Repeats of short runs, of which the least times count."""
    profile_seconds: float = 0.5
    """Seconds of a run that is repeated for a profile."""
    written_steps: int = 2_000_000
    """Step instances from which on those of single items are found one by one."""
    many_lengths: int = 2
    """Lengths of sentences after which native code is expected to pay."""
    disjuncts: int = 64
    """Combinations of disjuncts looked at one by one."""
    kept_nodes: int = 1 << 15
    """Words whose nodes are kept in order."""
    spare_bytes: int = 1 << 24
    """Bytes of memory that are kept for the next sentence's disjuncts."""
    kept_unread: int = 8
    """Schemata with a grammar for which the facts that they do not read are kept."""
    kept_words: int = 1 << 16
    """Words of a dictionary whose entries are kept."""
    process_cases: int = 16
    """Cases of a verification in one shard, for processes."""
    cluster_cases: int = 500
    """Cases of a verification in one shard, for clusters and ledgers."""
    process_sentences: int = 25
    """Sentences of a corpus in one shard, for processes."""
    cluster_sentences: int = 100
    """Sentences of a corpus in one shard, for clusters and ledgers."""
    page_schemata: int = 8
    """Schemata of the page in the browser that are kept."""
    kept_analyses: int = 32
    """Analyses of texts that are kept: more than an editor shows at once."""
    kept_codes: int = 1 << 17
    """Values of a treebank's columns whose numbers are kept."""


class Efforts:
    """How far a search goes before its answer is unknown, a bound, or rests on fewer examples."""

    final_seconds: float = 0.3
    """Seconds that final items are looked for in the chart of a run that was stopped."""
    run_steps: int = 50_000_000
    """Step instances of a run that keeps all its back-pointers, where no limit is named: several GB."""
    native_steps: int = 20_000_000_000
    """The same of a run that keeps none: seconds to minutes."""
    run_seconds: float = 600.0
    """Seconds of a run, where no limit is named."""
    run_memory: int = 8 << 30
    """Bytes of the process at most, where no limit is named; half of the machine's, if that is less."""
    unknown_memory: int = 2 << 30
    """The same where the system does not tell how much there is."""
    drawn_derivations: int = 1_000
    """Derivations drawn for one sample that is a structure."""
    unions: int = 300_000
    """Unions of sets of links for an exact count of structures; beyond, a lower bound."""
    combinations: int = 1_000_000
    """Combinations of states that listing some structures tries."""
    lower_bound: int = 100
    """Structures listed for a lower bound."""
    examined_sets: int = 64
    """Sets of links looked at for one linkage."""
    counted_words: int = 30
    """Words of the sentences from whose counts a formula is taken."""
    complexity_share: float = 0.6
    """Share of the seconds that a proof of a degree takes."""
    complexity_late: float = 0.2
    """Share of the seconds after which work that checks no limit is broken off."""
    near_items: int = 300_000
    """Items of a chart among which near ones are looked for."""
    compared_items: int = 20_000
    """Items compared for the nearest ones."""
    count_bits: int = 1 << 20
    """Bits of a number of derivations; longer ones, of some 300,000 digits, are not counted."""
    forest_steps: int = 25_000_000
    """Step instances up to which derivations are counted."""
    partial_bytes: int = 200_000_000
    """Bytes that listing a stopped run's step instances takes."""
    partial_steps: int = 200_000
    """Step instances up to which a stopped run's derivations are counted."""
    profile_steps: int = 200_000
    """Step instances beyond which a beginning of the sentence is measured."""
    why_not_rules: int = 40
    """Rules searched at one item below the first."""
    why_not_bindings: int = 4_000
    """Partial bindings looked at for one rule."""
    why_not_matches: int = 50
    """Ways in which a consequent matches the item."""
    corpus_unions: int = 20_000
    """Unions spent on the trees of one sentence of a corpus."""
    tried_words: int = 4
    """Words of the trees tried before a proof of correctness, where nothing is known of a schema."""
    brief_proof_seconds: float = 1.0
    """Seconds of a proof for every number of words that `verify` adds where nobody asked for it."""
    types: int = 300
    """Types that a search for a proof meets."""
    givens: int = 12
    """Contexts with licences that items of one form may need in a proof."""
    layout_rounds: int = 8
    """Rounds in which layouts gain columns and links."""
    layouts: int = 8
    """Layouts that are compared."""
    lengthened_words: int = 14
    """Words of a tree made longer."""
    profile_words: int = 4
    """Words of a profile and a length."""
    grammar_structures: int = 1_000
    """Structures that may be built under the grammar of one tree."""
    random_trees: int = 8
    """Random trees of each length."""
    difference_alternatives: int = 32
    """Alternatives of differences decided one by one."""
    circle_starts: int = 50
    """Items from which the shortest circle is looked for."""
    sample_steps: int = 20_000
    """Step instances of a small run for a proof of an order."""
    regions: int = 24
    """Regions of a kind in a proof of an order."""
    guess_milliseconds: int = 2_000
    """Milliseconds of one guess of a level."""
    guess_tries: int = 40
    """Times that a guess is made smaller."""
    guess_rounds: int = 60
    """Guesses for one term of a level."""
    feeding_pairs: int = 4_000
    """Pairs of rules for which feeding is decided; beyond, each pair that may feed is assumed to."""
    question_milliseconds: int = 10_000
    """Milliseconds of one question to the solver."""
    solver_seconds: float = 40.0
    """Seconds of all questions of one proof."""
    cells: int = 64
    """Regions that the items of a kind are guessed to be."""
    guessed_points: int = 300_000
    """Points that a guess of regions looks at."""
    level_terms: int = 3
    """Terms of a level."""
    circle_words: int = 12
    """Words of a sentence on which an item that helps to derive itself is looked for."""
    sequence_instances: int = 300
    """Instances of one sequence whose variables are looked at."""
    rewritten: int = 4
    """Times that a writing is taken nearer to its normal form in a proof."""
    rules_tried: int = 3
    """Rules of a grammar tried together."""
    outcomes: int = 100_000
    """Different outcomes of derivations."""
    first_words: int = 2
    """Words of the first trial of a relation."""
    guesses: int = 400
    """Guesses for one pair of schemata."""
    linkage_words: int = 2
    """Words over Link Grammar."""
    partial_derivations: int = 200_000
    """Partial derivations of one search."""
    improved_words: int = 5
    """Words of the verification of an improved schema, at least."""
    improved_related: int = 4
    """Words to which it is shown to be a refinement."""
    mapped_items: int = 5_000
    """Items of one length from which a map is guessed."""
    repair_seconds: float = 60.0
    """Seconds of a search for a repair."""
    repair_derivations: int = 60_000
    """Derivations of a run on which candidates are tried."""
    repair_words: int = 6
    """Words of the verification of a repair, at least."""
    repair_related: int = 4
    """Words to which a repair is shown to be a filter."""
    repair_candidates: int = 400_000
    """Candidates of one way to repair."""
    repair_refused: int = 25
    """Proposals of one way that fail before the search is given up."""
    form_values: int = 2_000_000
    """Values of one item form."""
    universe_facts: int = 20_000
    """Facts of one relation in the grammar of everything."""
    apart_levels: int = 2
    """Levels of which no two categories share dependents."""
    ill_nested_pairs: int = 2_000_000
    """Pairs of unions of a search for mild ill-nestedness."""
    unfinished_linkages: int = 1_000_000
    """Unfinished linkages that an enumeration looks at."""
    lost_configurations: int = 5_000
    """Configurations of swap-system looked at for one loss."""
    coloured_vertices: int = 5_000_000
    """Vertices that a search for planes looks at."""
    small_dictionaries: int = 600
    """Dictionaries of a length that are all examined."""
    random_dictionaries: int = 100
    """Random dictionaries of a length."""
    compared_words: int = 6
    """Words to which classes of trees are compared with each other, to say between which ones a schema lies."""
    exhaustive_words: int = 3
    """Words to which all grammars are examined."""
    small_rule_words: int = 2
    """Words to which all small sets of rules are examined."""
    fact_lists: int = 2
    """Symbols of a list in facts that verification tries."""
    random_facts: int = 12
    """Random grammars of facts of a length."""
    random_yields: int = 8
    """Facts with yield functions in such a grammar, of one relation, beyond the words of which all are tried."""
    random_grammars: int = 60
    """Random grammars of a length."""
    random_bracketings: int = 20
    """Random grammars of a length, for constituents."""
    prefix_room: int = 6
    """Words for which there is room after a prefix where it is not known how many a sentence needs."""
    prefix_reach: int = 3
    """The distance in D-rules to which rules of projective trees count words, to decide prefixes for all sentences."""
    exhaustive_brackets: int = 2
    """Words to which all grammars for constituents are examined."""
    chart_unions: int = 30_000_000
    """Unions of sets of links of one chart of a verification."""
    shrunk: int = 3
    """Refutations of an answer that are made smaller."""
    grace_share: float = 0.2
    """Share of the seconds that evidence may take in addition, after they are over."""
    verified_sentences: int = 300
    """Sentences of a length over a grammar that is given."""
    pieces: int = 10
    """Derivable items kept for an explanation."""
    extended_derivations: int = 20_000
    """Derivations looked at for the extended trees of an item."""
    searched_derivations: int = 20_000
    """Derivations among which one that builds a structure is looked for."""
    assignments: int = 200_000
    """Assignments of one sentence that verification of constraints tries."""
    repair_chain: int = 12
    """Repairs of an analysis in a chain."""
    repair_pairs: int = 1_000
    """Pairs of values of two words that repair tries."""
    paired_structures: int = 600
    """Structures that are paired."""
    item_unions: int = 1_000_000
    """Unions of sets of links of all items of a chart."""
    probe_steps: int = 20_000
    """Step instances of the run that shows whether a schema has a node 0."""
    page_steps: int = 2_000_000
    """Step instances of a run in the page: some seconds in a browser, and its memory."""
    page_seconds: float = 20.0
    """Seconds of a question of the page that names no limit."""
    page_items: int = 1_500
    """Items of a chart that the page lists."""
    page_trees: int = 40
    """Structures that the page lists and draws."""
    page_unions: int = 200_000
    """Unions of sets of links for its exact count of structures."""
    page_candidates: int = 60
    """Items that could stand in an empty cell of its chart."""
    page_values: int = 5_000
    """Items of a form that are looked at for them."""
    page_drawn: int = 6_000
    """Items of a chart that the page draws."""
    page_ranked: int = 2_000
    """Trees that the page ranks by scores."""
    page_searched: int = 5_000
    """Trees among which the page looks for that of an example."""
    page_counted_words: int = 12
    """Words up to which the page's comparison counts derivations."""
    lens_words: int = 8
    """Words of the sentence whose items and steps an editor shows beside a schema."""
    lens_verified: int = 5
    """Words to which its class is tried there, and a refinement of another schema."""
    lens_seconds: float = 20.0
    """Seconds of each of these questions."""
    hovered_rules: int = 12
    """Rules of a step that an editor shows: families have many."""
    bracket_rows: int = 8
    """Lines above in which an editor looks for the opening bracket."""
    reported_errors: int = 100
    """Mistakes of a file that are shown; a schema is not read beyond them."""
    compared_names: int = 2_000
    """Names that are compared with a misspelt one; among more, those count that are one slip of the pen away."""


class Refusals:
    """The limits beyond which input is refused with a message."""

    distinct_structures: int = 100_000
    """Structures that a sum over distinct structures lists."""
    paths: int = 10_000
    """Paths of a word graph that are run one by one."""
    arena_entries: int = (1 << 31) - 1
    """Entries of the arena of join lists."""
    met_most: int = 1 << 23
    """Places for the instances met in a turn, at most."""
    entry_values: int = 15
    """Values that one antecedent binds, in an entry of a join list."""
    query_tables: int = 1 << 12
    """Different questions of one schema to the grammar."""
    agenda_writings: int = 10_000
    """Writings of one item, in kernels with an agenda."""
    list_elements: int = 10_000
    """Elements of a list in native code."""
    part_bits: int = 20
    """Bits of a part of an element that is a tuple."""
    newton_rounds: int = 200
    """Rounds of Newton's method for one sum over cycles."""
    score_words: int = 4_000
    """Words of a file of scores that does not list them."""
    close_to_one: float = 1e-9
    """Distance to 1 of what a round of a cycle weighs, below which its sum counts as infinite."""
    prefix_symbols: int = 5_000
    """Symbols of a grammar over which weights of prefixes are summed: the matrices of more take gigabytes."""
    prefix_rounds: int = 500
    """Rounds of Newton's method for them: each doubles the correct digits or, at worst, halves the error."""
    kinds: int = 256
    """Kinds of one item form."""
    choices: int = 4096
    """Choices of flags, absences and lengths of one case."""
    rules: int = 2048
    """Rules that a schema becomes."""
    writings: int = 10_000
    """Writings of one item."""
    fact_rows: int = 1_000_000
    """Rows of one relation for one sentence."""
    made_up_words: int = 1_000
    """Words of a sentence made up for a length."""
    certificate_file_bytes: int = 20_000_000
    """Bytes of a file of certificates."""
    certificate_bytes: int = 20_000_000
    """Bytes of a certificate."""
    certificate_numbers: int = 1_000_000
    """Numbers in certificates."""
    stacks: int = 100
    """Stacks of a transition system."""
    beam: int = 1000
    """Sequences of transitions that a trained parser keeps."""
    treebank_line: int = 1 << 20
    """Bytes of a line of a treebank."""
    grammar_bytes: int = 20_000_000
    """Bytes of a grammar file."""
    grammar_line: int = 20_000
    """Characters of a line of a grammar file."""
    pruning_questions: int = 10_000_000
    """Questions of the pruning of a sentence's disjuncts."""
    expression_disjuncts: int = 1_000_000
    """Disjuncts of one expression."""
    readings: int = 16
    """Readings of a sentence that are asked for linkages."""
    linkage_length: int = 254
    """Words of a sentence over a dictionary, as in link-parser."""
    affixes: int = 8
    """Affixes stripped in one go, as in link-parser."""
    splits: int = 8
    """Ways to split a word."""
    split_characters: int = 100
    """Characters of a word that is split."""
    word_characters: int = 200
    """Characters of a word of a dictionary."""
    pattern_characters: int = 100
    """Characters of a word that patterns are tried on."""
    expression_levels: int = 200
    """Levels of an expression, with those of the words it uses."""
    schema_bytes: int = 1_000_000
    """Bytes of a schema file."""
    schema_line: int = 2_000
    """Characters of a line of a schema file."""
    nested_brackets: int = 60
    """Brackets, or negations, in one another."""
    piece_characters: int = 10_000
    """Characters of a declaration."""
    bases: int = 50
    """Schemata that extend one another."""
    family_values: int = 100
    """Values of a variable of a family of steps."""
    bracket_bytes: int = 1 << 28
    """Bytes of a file of bracketed trees."""
    name_characters: int = 200
    """Characters of a name that an editor gives."""
    family_members: int = 5_000
    """Members of one family of layouts."""
    layout_pieces: int = 60
    """Pieces of one layout."""
    page_characters: int = 200_000
    """Characters of a schema or a grammar in the page."""
    page_words: int = 400
    """Words of a sentence there."""
    page_limit: int = 3_600
    """Seconds that a limit there may have."""
    page_derivations: int = 1_000
    """Derivations there that have a number."""
    page_taken: int = 500
    """Items taken one by one there."""
    page_compared: int = 8
    """Schemata there with which one is compared."""
    page_examples: int = 100
    """Examples there."""


WAYS, EFFORTS, REFUSALS = Ways(), Efforts(), Refusals()
POSITIVE = frozenset(
    [
        "compared_words", "exhaustive_brackets", "first_words", "mapped_items", "profile_words",
        "question_milliseconds", "reported_errors", "shrunk", "tried_words",
    ]
)  # fmt: skip
"""Those that are 1 at least: of nothing at all, another question would be asked."""
_ALL: Mapping[str, Ways | Efforts | Refusals] = {
    name: of for of in (WAYS, EFFORTS, REFUSALS) for name in type(of).__annotations__
}


def thresholds() -> Mapping[str, float]:
    """Return all thresholds by name, with the values that they have where nothing is changed."""
    return {name: getattr(type(of), name) for name, of in _ALL.items()}


@contextlib.contextmanager
def changed(**values: float) -> Iterator[None]:
    """Set thresholds while something runs, in this process.

    Kept results may come from other thresholds: load a schema anew to run it with these.

    Raises
    ------
    KeyError : there is no threshold of that name.
    ValueError : a threshold that has to be at least 1 would be less.

    >>> with changed(in_memory_steps=2):
    ...     WAYS.in_memory_steps
    2
    >>> WAYS.in_memory_steps
    2000
    """
    before = {name: getattr(_ALL[name], name) for name in values}
    for name, value in values.items():
        if name in POSITIVE and value < 1:
            raise ValueError(f"{name} is at least 1, not {value}")
    try:
        for name, value in values.items():
            setattr(_ALL[name], name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(_ALL[name], name, value)


def changes() -> tuple[tuple[str, float], ...]:
    """Return the thresholds set to unusual values: the keys of cached results include them.

    The number of files in the cache is not among them.
    """
    return tuple(
        (name, value)
        for of in (WAYS, EFFORTS, REFUSALS)
        for name, value in sorted(vars(of).items())
        if value != getattr(type(of), name) and name != "cached_files"
    )
