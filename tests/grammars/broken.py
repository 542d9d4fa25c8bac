"""Broken grammar files and exactly what is said about each: one for every kind of mistake.

A case is its name, the file, and the report, which calls the file g.
"""

Case = tuple[str, str, str]

D_RULES: list[Case] = [
    (
        "a line begins with an unknown word",
        """\
rot VERB
""",
        """\
g:1:1: error: rot does not belong here
  | rot VERB
  | ^^^
  expected: head ... takes ..., or root ...
  hint: did you mean root?
""",
    ),
    (
        "the word head is missing",
        """\
NOUN takes DET
""",
        """\
g:1:1: error: NOUN does not belong here
  | NOUN takes DET
  | ^^^^
  expected: head ... takes ..., or root ...
  hint: a rule begins with the word head: head NOUN takes DET
""",
    ),
    (
        "an arrow",
        """\
NOUN -> DET
""",
        """\
g:1:1: error: a D-rule is not written with an arrow
  | NOUN -> DET
  | ^^^^
  expected: head ... takes ..., or root ...
  hint: arrows point either way in the literature; say who is the head: head NOUN takes DET
""",
    ),
    (
        "takes is misspelt",
        """\
head NOUN take DET
""",
        """\
g:1:11: error: take does not belong here
  | head NOUN take DET
  |           ^^^^
  expected: takes, or a comma and another head
  hint: did you mean takes?
""",
    ),
    (
        "takes is missing",
        """\
head NOUN
""",
        """\
g:1:10: error: the line ends too early
  | head NOUN
  |          ^
  expected: takes, or a comma and another head
""",
    ),
    (
        "nothing is taken",
        """\
head NOUN takes
""",
        """\
g:1:16: error: the line ends too early
  | head NOUN takes
  |                ^
  expected: a part of speech, a "word", "word"/TAG, or any
""",
    ),
    (
        "no head",
        """\
head takes NOUN
""",
        """\
g:1:6: error: takes does not belong here
  | head takes NOUN
  |      ^^^^^
  expected: a part of speech, a "word", "word"/TAG, or any
  hint: a part of speech called takes is written 'takes', a word "takes"
""",
    ),
    (
        "a list ends in a comma",
        """\
head NOUN, takes DET
""",
        """\
g:1:12: error: takes does not belong here
  | head NOUN, takes DET
  |            ^^^^^
  expected: a part of speech, a "word", "word"/TAG, or any
  hint: a part of speech called takes is written 'takes', a word "takes"
""",
    ),
    (
        "a misspelt side",
        """\
head NOUN takes DET on the lef within 3
""",
        """\
g:1:28: error: lef does not belong here
  | head NOUN takes DET on the lef within 3
  |                            ^^^
  expected: on the left, on the right, on either side
  hint: did you mean left?
""",
    ),
    (
        "no side",
        """\
head NOUN takes DET on the
""",
        """\
g:1:27: error: the line ends too early
  | head NOUN takes DET on the
  |                           ^
  expected: on the left, on the right, on either side
""",
    ),
    (
        "either without side",
        """\
head NOUN takes DET on either
""",
        """\
g:1:30: error: the line ends too early
  | head NOUN takes DET on either
  |                              ^
  expected: on either side
""",
    ),
    (
        "the words on the are missing",
        """\
head NOUN takes DET left
""",
        """\
g:1:21: error: left does not belong here
  | head NOUN takes DET left
  |                     ^^^^
  expected: on the left, on the right, on either side; within a number; or the end of the line
  hint: say where: on the left
""",
    ),
    (
        "within is misspelt",
        """\
head NOUN takes DET on the left witin 3
""",
        """\
g:1:33: error: witin does not belong here
  | head NOUN takes DET on the left witin 3
  |                                 ^^^^^
  expected: within a number, or the end of the line
  hint: did you mean within?
""",
    ),
    (
        "something after the distance",
        """\
head NOUN takes DET within 3 words
""",
        """\
g:1:30: error: words does not belong here
  | head NOUN takes DET within 3 words
  |                              ^^^^^
  expected: the end of the line
""",
    ),
    (
        "distance zero",
        """\
head NOUN takes DET within 0
""",
        """\
g:1:28: error: 0 is no distance between two words
  | head NOUN takes DET within 0
  |                            ^
  expected: a whole number from 1
  hint: neighbours are at distance 1
""",
    ),
    (
        "no distance",
        """\
head NOUN takes DET within
""",
        """\
g:1:27: error: within what number?
  | head NOUN takes DET within
  |                           ^
  expected: a whole number from 1
  hint: neighbours are at distance 1
""",
    ),
    (
        "a distance that is no number",
        """\
head NOUN takes DET within three
""",
        """\
g:1:28: error: three is no distance between two words
  | head NOUN takes DET within three
  |                            ^^^^^
  expected: a whole number from 1
  hint: neighbours are at distance 1
""",
    ),
    (
        "a root with a distance",
        """\
root VERB within 3
""",
        """\
g:1:11: error: within does not belong here
  | root VERB within 3
  |           ^^^^^^
  expected: the end of the line
  hint: a root has neither side nor distance
""",
    ),
    (
        "a root with a side",
        """\
root VERB on the left
""",
        """\
g:1:11: error: on does not belong here
  | root VERB on the left
  |           ^^
  expected: the end of the line
  hint: a root has neither side nor distance
""",
    ),
    (
        "root alone",
        """\
root
""",
        """\
g:1:5: error: the line ends too early
  | root
  |     ^
  expected: a part of speech, a "word", "word"/TAG, or any
""",
    ),
    (
        "two words without a comma",
        """\
root VERB NOUN
""",
        """\
g:1:11: error: NOUN does not belong here
  | root VERB NOUN
  |           ^^^^
  expected: a comma or the end of the line
""",
    ),
    (
        "an unclosed quote",
        """\
head "saw takes NOUN
""",
        """\
g:1:6: error: the quote " is never closed
  | head "saw takes NOUN
  |      ^
  hint: close it with "
""",
    ),
    (
        "an unclosed single quote",
        """\
root "x"/'y
""",
        """\
g:1:10: error: the quote ' is never closed
  | root "x"/'y
  |          ^
  hint: close it with '; a word that holds a quote is written in double quotes: "'s"
""",
    ),
    (
        "a word that begins with an apostrophe",
        """\
root 's
""",
        """\
g:1:6: error: the quote ' is never closed
  | root 's
  |      ^
  hint: close it with '; a word that holds a quote is written in double quotes: "'s"
""",
    ),
    (
        "empty quotes",
        """\
head "" takes any
""",
        """\
g:1:6: error: nothing stands between the quotes
  | head "" takes any
  |      ^^
  expected: a part of speech, a "word", "word"/TAG, or any
""",
    ),
    (
        "an unknown escape",
        """\
root "a\\n"
""",
        """\
g:1:8: error: \\n means nothing in quotes
  | root "a\\n"
  |        ^^
  expected: \\" or \\\\
  hint: write \\\\ for a backslash
""",
    ),
    (
        "a slash without a tag",
        """\
root "saw"/
""",
        """\
g:1:12: error: the line ends too early
  | root "saw"/
  |            ^
  expected: a part of speech, a "word", "word"/TAG, or any
""",
    ),
    (
        "an invisible character",
        """\
root NO\u200bUN
""",
        """\
g:1:8: error: an invisible character (U+200B)
  | root NO�UN
  |        ^
  expected: a name
  hint: delete it; in a word, put the word in double quotes
""",
    ),
    (
        "wide characters before the mistake",
        """\
head "猫" take DET
""",
        """\
g:1:10: error: take does not belong here
  | head "猫" take DET
  |           ^^^^
  expected: takes, or a comma and another head
  hint: did you mean takes?
""",
    ),
    (
        "an empty file",
        "",
        """\
g:1:1: error: the file holds no D-rules
  expected: head ... takes ..., or root ...
  hint: a D-rule file has lines such as: head NOUN takes DET on the left
""",
    ),
    (
        "only comments",
        """\
# nothing

  # here
""",
        """\
g:1:1: error: the file holds no D-rules
  expected: head ... takes ..., or root ...
  hint: a D-rule file has lines such as: head NOUN takes DET on the left
""",
    ),
    (
        "all mistakes of a file at once",
        """\
root VERB
rot NOUN
head NOUN takes DET  # fine
head NOUN takes DET within 0
""",
        """\
g:2:1: error: rot does not belong here
  | rot NOUN
  | ^^^
  expected: head ... takes ..., or root ...
  hint: did you mean root?
g:4:28: error: 0 is no distance between two words
  | head NOUN takes DET within 0
  |                            ^
  expected: a whole number from 1
  hint: neighbours are at distance 1
""",
    ),
]

DEPENDENCY_RULES: list[Case] = [
    (
        "an unknown line",
        """\
rot S
S(*)
""",
        """\
g:1:1: error: a line beginning with rot S is none of those known
  | rot S
  | ^^^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: did you mean root?
""",
    ),
    (
        "a rule with an arrow",
        """\
root S
S -> N V
""",
        """\
g:2:1: error: a line beginning with S -> is none of those known
  | S -> N V
  | ^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: a dependency rule is written A(B * C), with * for the head word
""",
    ),
    (
        "an equals sign for a colon",
        """\
root S
S(*)
sleeps = S
""",
        """\
g:3:1: error: a line beginning with sleeps = is none of those known
  | sleeps = S
  | ^^^^^^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: the colon is missing: word : A, or tag T : A
""",
    ),
    (
        "no colon",
        """\
root S
S(*)
sleeps S
""",
        """\
g:3:1: error: a line beginning with sleeps S is none of those known
  | sleeps S
  | ^^^^^^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: the colon is missing: sleeps : S
""",
    ),
    (
        "a tag without a colon",
        """\
root S
S(*)
tag NOUN S
""",
        """\
g:3:1: error: a line beginning with tag NOUN is none of those known
  | tag NOUN S
  | ^^^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: the colon is missing: word : A, or tag T : A
""",
    ),
    (
        "a word alone",
        """\
root S
S(*)
sleeps
""",
        """\
g:3:1: error: sleeps alone says nothing
  | sleeps
  | ^^^^^^
  expected: A(B * C), root A, word : A, or tag T : A
""",
    ),
    (
        "two head words",
        """\
root S
S(N * N *)
""",
        """\
g:2:3: error: no rule says what N takes
  | S(N * N *)
  |   ^
  hint: add a rule; if it takes nothing: N(*)
g:2:9: error: the rule has two head words: there is a * before this one
  | S(N * N *)
  |         ^
  expected: exactly one * in a rule
""",
    ),
    (
        "no head word",
        """\
root S
S(N N)
N(*)
""",
        """\
g:2:6: error: the rule S(N N) has no head word
  | S(N N)
  |      ^
  expected: exactly one * in a rule
  hint: the * stands where the head word stands between its dependents
""",
    ),
    (
        "nothing in a rule",
        """\
root S
S()
""",
        """\
g:2:3: error: the rule S() has no head word
  | S()
  |   ^
  expected: exactly one * in a rule
  hint: write S(*) for a word without dependents
""",
    ),
    (
        "a comma in a rule",
        """\
root S
S(N, * N)
N(*)
""",
        """\
g:2:4: error: , does not belong here
  | S(N, * N)
  |    ^
  expected: a category, * or )
  hint: the categories of a rule are separated by blanks
""",
    ),
    (
        "an unclosed rule",
        """\
root S
S(*
""",
        """\
g:2:4: error: the line ends too early
  | S(*
  |    ^
  expected: a category, * or )
""",
    ),
    (
        "something after a rule",
        """\
root S
S(*) N(*)
""",
        """\
g:2:6: error: N does not belong here
  | S(*) N(*)
  |      ^
  expected: the end of the line
""",
    ),
    (
        "a root line that ends too early",
        """\
root S,
S(*)
""",
        """\
g:1:8: error: the line ends too early
  | root S,
  |        ^
  expected: a category
""",
    ),
    (
        "root without a category",
        """\
root
S(*)
""",
        """\
g:1:5: error: the line ends too early
  | root
  |     ^
  expected: a category
""",
    ),
    (
        "a reserved name",
        """\
root root
S(*)
""",
        """\
g:1:6: error: a category cannot be called root
  | root root
  |      ^^^^
  expected: a category
  hint: root, * and ^ stand for the root and the head word: choose another name
""",
    ),
    (
        "a reserved name in quotes",
        """\
root S
S('*' *)
""",
        """\
g:2:3: error: a category cannot be called '*'
  | S('*' *)
  |   ^^^
  expected: a category, * or )
  hint: root, * and ^ stand for the root and the head word: choose another name
""",
    ),
    (
        "no root",
        """\
S(*)
root : S
""",
        """\
g:1:1: error: no category may be the root
  expected: root and a category
  hint: add a line such as: root S (without a colon)
""",
    ),
    (
        "an undefined root",
        """\
root T
S(*)
""",
        """\
g:1:6: error: no rule says what T takes
  | root T
  |      ^
  hint: add a rule; if it takes nothing: T(*)
""",
    ),
    (
        "an undefined dependent",
        """\
root S
S(Nn *)
N(*)
""",
        """\
g:2:3: error: no rule says what Nn takes
  | S(Nn *)
  |   ^^
  hint: did you mean N?
""",
    ),
    (
        "an undefined category of a word",
        """\
root S
S(*)
sees : Verb
""",
        """\
g:3:8: error: no rule says what Verb takes
  | sees : Verb
  |        ^^^^
  hint: add a rule; if it takes nothing: Verb(*)
""",
    ),
    (
        "a mark for a word",
        """\
root S
S(*)
( : S
""",
        """\
g:3:1: error: ( is not a word
  | ( : S
  | ^
  expected: a word
  hint: a word with marks in it is put in quotes: "(" : N
""",
    ),
    (
        "an empty word",
        """\
root S
S(*)
"" : S
""",
        """\
g:3:1: error: nothing stands between the quotes
  | "" : S
  | ^^
  expected: a word
""",
    ),
    (
        "no category after the colon",
        """\
root S
S(*)
sees :
""",
        """\
g:3:7: error: the line ends too early
  | sees :
  |       ^
  expected: a category
""",
    ),
    (
        "a category in double quotes",
        """\
root S
S(*)
sees : "S"
""",
        """\
g:3:8: error: "S" does not belong here
  | sees : "S"
  |        ^^^
  expected: a category
  hint: a category with odd characters is put in single quotes: 'S'
""",
    ),
    (
        "an empty category",
        """\
root ''
S(*)
""",
        """\
g:1:6: error: nothing stands between the quotes
  | root ''
  |      ^^
  expected: a category
""",
    ),
    (
        "categories without a comma",
        """\
root S
S(*)
sees : S S
""",
        """\
g:3:10: error: S does not belong here
  | sees : S S
  |          ^
  expected: a comma and another category, or the end of the line
""",
    ),
    (
        "two words in a lexicon line",
        """\
root S
S(*)
the dog : S
""",
        """\
g:3:1: error: a line beginning with the dog is none of those known
  | the dog : S
  | ^^^
  expected: A(B * C), root A, word : A, or tag T : A
  hint: one word stands before the colon; one with a blank or a mark in it is put in quotes: "New York" : N
""",
    ),
    (
        "an unclosed quote",
        """\
root S
S(*)
"sees : S
""",
        """\
g:3:1: error: the quote " is never closed
  | "sees : S
  | ^
  hint: close it with "
""",
    ),
    (
        "a word that begins with an apostrophe",
        """\
root S
S(*)
's : S
""",
        """\
g:3:1: error: the quote ' is never closed
  | 's : S
  | ^
  hint: close it with '; a word that holds a quote is written in double quotes: "'s"
""",
    ),
    (
        "an empty file",
        """\
# nothing
""",
        """\
g:1:1: error: the file holds no dependency rules
  expected: A(B * C), root A, word : A, or tag T : A
  hint: a dependency rule file has lines such as: S(N * N)
""",
    ),
    (
        "an undefined category is not reported where its rule is broken",
        """\
root S
S(N *)
N(* *)
""",
        """\
g:3:5: error: the rule has two head words: there is a * before this one
  | N(* *)
  |     ^
  expected: exactly one * in a rule
""",
    ),
    (
        "no missing rule is reported where a line was lost",
        """\
root S
S(N *)
N
""",
        """\
g:3:1: error: N alone says nothing
  | N
  | ^
  expected: A(B * C), root A, word : A, or tag T : A
""",
    ),
]

CONTEXT_FREE: list[Case] = [
    (
        "two categories on the left",
        """\
S NP -> VP
""",
        """\
g:1:1: error: a line beginning with S NP is none of those known
  | S NP -> VP
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: one category stands on the left of the arrow
""",
    ),
    (
        "no arrow",
        """\
S NP VP
""",
        """\
g:1:1: error: a line beginning with S NP is none of those known
  | S NP VP
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: the arrow or the colon is missing
""",
    ),
    (
        "another arrow",
        """\
S --> NP VP
""",
        """\
g:1:1: error: a line beginning with S - is none of those known
  | S --> NP VP
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: a rule is written A -> B C
""",
    ),
    (
        "the arrow of BNF",
        """\
S ::= NP VP
""",
        """\
g:1:1: error: a line beginning with S : is none of those known
  | S ::= NP VP
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: a rule is written A -> B C
""",
    ),
    (
        "a dependency rule",
        """\
S(NP * VP)
""",
        """\
g:1:1: error: a line beginning with S(NP * is none of those known
  | S(NP * VP)
  | ^^^^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: a rule is written A -> B C
""",
    ),
    (
        "two arrows",
        """\
S -> -> NP
""",
        """\
g:1:6: error: -> does not belong here
  | S -> -> NP
  |      ^^
  expected: one rule in a line
""",
    ),
    (
        "nothing on the right",
        """\
S ->
""",
        """\
g:1:5: error: nothing stands on the right of the rule
  | S ->
  |     ^
  expected: a category or a "terminal"
  hint: the empty string is written ε or ""
""",
    ),
    (
        "an alternative is missing at the end",
        """\
S -> NP |
NP -> 'x'
""",
        """\
g:1:10: error: nothing stands on the right of the rule
  | S -> NP |
  |          ^
  expected: a category or a "terminal"
  hint: the empty string is written ε or ""
""",
    ),
    (
        "an alternative is missing",
        """\
S -> NP | | 'x'
NP -> 'x'
""",
        """\
g:1:11: error: an alternative is missing
  | S -> NP | | 'x'
  |           ^
  expected: a category or a "terminal"
  hint: the empty string is written ε or ""
""",
    ),
    (
        "the empty string among others",
        """\
S -> S ε
""",
        """\
g:1:8: error: the empty string stands alone on the right of a rule
  | S -> S ε
  |        ^
  expected: ε, or symbols
""",
    ),
    (
        "the empty string on the left",
        """\
ε -> 'x'
""",
        """\
g:1:1: error: ε does not belong here
  | ε -> 'x'
  | ^
  expected: a category
  hint: ε is the empty string
""",
    ),
    (
        "an alternative on its own line",
        """\
S -> 'a'
| 'b'
""",
        """\
g:2:1: error: a line beginning with | 'b' is none of those known
  | | 'b'
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: a rule is one line: write the left-hand side again
""",
    ),
    (
        "a terminal on the left",
        """\
"the" -> S
""",
        """\
g:1:1: error: "the" does not belong here
  | "the" -> S
  | ^^^^^
  expected: a category
  hint: a terminal has no rules
""",
    ),
    (
        "two start lines",
        """\
start S
start S
S -> 'a'
""",
        """\
g:2:7: error: the start symbol is S already (line 1)
  | start S
  |       ^
  expected: one start line
""",
    ),
    (
        "start alone",
        """\
S -> 'a'
start
""",
        """\
g:2:1: error: start alone says nothing
  | start
  | ^^^^^
  expected: A -> B C, start A, word : A, or tag T : A
""",
    ),
    (
        "a misspelt keyword",
        """\
strat S
S -> 'a'
""",
        """\
g:1:1: error: a line beginning with strat S is none of those known
  | strat S
  | ^^^^^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: did you mean start?
""",
    ),
    (
        "an undefined start",
        """\
start T
S -> 'a'
""",
        """\
g:1:7: error: T is neither on the left of a rule nor the category of a word
  | start T
  |       ^
  hint: a terminal is put in quotes: "T"; a category needs a rule or a line: word : T
""",
    ),
    (
        "an unquoted terminal",
        """\
N -> cat
""",
        """\
g:1:6: error: cat is neither on the left of a rule nor the category of a word
  | N -> cat
  |      ^^^
  hint: a terminal is put in quotes: "cat"; a category needs a rule or a line: word : cat
""",
    ),
    (
        "a misspelt category",
        """\
S -> Verbs
Verb -> 'go'
""",
        """\
g:1:6: error: Verbs is neither on the left of a rule nor the category of a word
  | S -> Verbs
  |      ^^^^^
  hint: did you mean Verb?
""",
    ),
    (
        "a reserved name",
        """\
S -> root
""",
        """\
g:1:6: error: a category cannot be called root
  | S -> root
  |      ^^^^
  expected: a category or a "terminal"
  hint: root, * and ^ stand for the root and the head word: choose another name
""",
    ),
    (
        "a tag without a colon",
        """\
S -> 'a'
tag VERB S
""",
        """\
g:2:1: error: a line beginning with tag VERB is none of those known
  | tag VERB S
  | ^^^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: the colon is missing: tag T : A
""",
    ),
    (
        "two words in a lexicon line",
        """\
S -> 'a'
the dog : S
""",
        """\
g:2:1: error: a line beginning with the dog is none of those known
  | the dog : S
  | ^^^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: one word stands before the colon; one with a blank or a mark in it is put in quotes: "New York" : N
""",
    ),
    (
        "an empty word",
        """\
S -> 'a'
'' : S
""",
        """\
g:2:1: error: nothing stands between the quotes
  | '' : S
  | ^^
  expected: a word
""",
    ),
    (
        "a category in quotes",
        """\
S -> 'a'
b : 'S'
""",
        """\
g:2:5: error: 'S' does not belong here
  | b : 'S'
  |     ^^^
  expected: a category
  hint: a category stands without quotes: S
""",
    ),
    (
        "a colon alone",
        """\
: S
""",
        """\
g:1:1: error: a line beginning with : S is none of those known
  | : S
  | ^
  expected: A -> B C, start A, word : A, or tag T : A
  hint: one word stands before the colon; one with a blank or a mark in it is put in quotes: "New York" : N
""",
    ),
    (
        "a category alone",
        """\
S -> 'a'
NP
""",
        """\
g:2:1: error: NP alone says nothing
  | NP
  | ^^
  expected: A -> B C, start A, word : A, or tag T : A
""",
    ),
    (
        "an unclosed quote",
        """\
S -> 'a
""",
        """\
g:1:6: error: the quote ' is never closed
  | S -> 'a
  |      ^
  hint: close it with '; a word that holds a quote is written in double quotes: "'s"
""",
    ),
    (
        "an empty file",
        """\

""",
        """\
g:1:1: error: the file holds no rules
  expected: A -> B C, start A, word : A, or tag T : A
  hint: a file of a context-free grammar has lines such as: S -> NP VP
""",
    ),
    (
        "an invisible character",
        """\
S\ufeff -> 'a'
""",
        """\
g:1:2: error: an invisible character (U+FEFF)
  | S� -> 'a'
  |  ^
  expected: a name
  hint: delete it; in a word, put the word in double quotes
""",
    ),
]
