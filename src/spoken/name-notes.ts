/**
 * Callers' remarks about a name, beside it: "hyphenated", "one word", "MD", "now Jones". Shared by all readers of
 * names.
 */

/** `whole`: given and family name together. */
export type NamePart = 'given' | 'family' | 'whole'

/** Words before a name that do not belong to it. */
export const TITLES: readonly string[] =
  `mr mrs ms mx miss mister missus madam dr doctor prof professor rev reverend captain sergeant lieutenant colonel
  corporal officer nurse rabbi`.split(/\s+/)

/** Words after a name that do not belong to it. */
export const DEGREES: readonly string[] = 'md phd esq esquire rn lpn dds dmd dvm cpa mba jd edd psyd lcsw msw'.split(
  ' ',
)

/** A remark, with the names that it can leave; it is understood if there is at least one. */
type Note = readonly [words: string, names: (name: string, part: NamePart, words: string) => readonly string[]]

const confirmed = (name: string): readonly string[] => [name]

const wordsOf = (name: string): readonly string[] => name.split(' ').filter((word) => word !== ',')

/** More words are a sentence rather than a name. */
const MOST_WORDS = 6

/** All names in which two consecutive words are joined. */
const joined = (name: string, sign: string): readonly string[] =>
  (wordsOf(name).length > MOST_WORDS ? [] : [...name.matchAll(/(?<=[\p{L}.]) (?=\p{L})/gu)]).map(
    ({ index }) => name.slice(0, index) + sign + name.slice(index + 1),
  )

const hyphenated = (name: string): readonly string[] => (name.includes('-') ? [name] : joined(name, '-'))

/** A remark about a whole name may refer to its last part: "Jane Van Dyke, two words". */
const counted =
  (count: number) =>
  (name: string, part: NamePart): readonly string[] => {
    const more = wordsOf(name).length - count
    if (more === 0) return [name]
    if (count === 1) return [name, ...joined(name, '')]
    return more === 1 && part === 'whole' ? [name] : []
  }

/** "OBrien with an apostrophe" */
const withApostrophe = (name: string): readonly string[] =>
  name.includes("'") ? [name] : /^[odl] ?\p{L}{2,}$/iu.test(name) ? [name.replace(/^(.) ?/u, "$1'")] : []

/** "Only" is also a family name: considered if a whole name is expected, or it is capitalized. */
const onlyThat = (name: string, part: NamePart, words: string): readonly string[] =>
  part === 'whole' || /(?<!\p{L})(?:Only|Just|Alone)(?!\p{L})/u.test(words) ? [name, words] : [name]

const AFTER: readonly Note[] = [
  ['not hyphenated|no hyphens?|without (?:a |the |any )?hyphens?', (name) => (name.includes('-') ? [] : [name])],
  [
    'hyphenated|double[ -]barrell?ed|with hyphens?|(?:a|the) (?:hyphen|dash)(?: (?:in )?between(?: them)?| in (?:it|the middle))?',
    hyphenated,
  ],
  ['(?:one|a single) word', counted(1)],
  ['two (?:separate )?words', counted(2)],
  ['three (?:separate )?words', counted(3)],
  ['just that|nothing else', confirmed],
  ['only|alone', onlyThat],
  ['(?:the )?(?:usual|normal|regular|standard|common|ordinary) (?:way|spelling)', confirmed],
  ['no middle (?:name|initial)', confirmed],
  ['(?:an |the )?apostrophe', withApostrophe],
  [['ph d', ...DEGREES.map((degree) => [...degree].join('\\.?'))].join('|'), confirmed],
]

const BEFORE: readonly Note[] = [
  ['hyphenated', hyphenated],
  ['one word', counted(1)],
  ['two words', counted(2)],
  ['only|just', onlyThat],
]

const LINKS = "(?:(?:and|but|it's|it is|its|that's|that is|as|in|with|all|written|spelled|spelt|i have) )*"

const after = AFTER.map(
  ([words, names]) => [new RegExp(`^(.*?[\\p{L}.]) ?(?:, ?| )${LINKS}(?:${words})[.!]?$`, 'iu'), names] as const,
)
const before = BEFORE.map(
  ([words, names]) => [new RegExp(`^${LINKS}(?:${words})(?: ?,)? (\\p{L}.*)$`, 'iu'), names] as const,
)

/** Words that refer to another name. */
const OTHER_NAME =
  'now|nowadays|currently|recently|formerly|previously|originally|once|then|later|ex|n[ée]e|maiden|married|marriage|divorced|widowed|deceased|nicknam(?:e|ed)|alias|aka|also|known as|(?:go|goes|went) by|calls|everyone|everybody|people call|used to|became|legally|officially|preferr?ed|short for|for short|but'

/** Words that describe the spelling or the sound of a name. */
const WRITING =
  'like|as in|rhymes|same as|only|alone|words?|letters?|hyphens|hyphenated|accent(?:s|ed)?|lower ?case|capitals|capitalized|silent|plural|singular|spaces|(?:al)?together|separate(?:d|ly)?|joined|combined|backwards|usual|usually'

/** Words of sentences, and names of final punctuation marks. */
const SENTENCE = 'obviously|basically|simply|of course|full stop|(?:exclamation|question) (?:mark|point)'

/** On its own such a word may be a name; beside a name it is a remark. */
const REMARK = new RegExp(
  `(?<![\\p{L}'-])(?:${OTHER_NAME}|${WRITING}|${SENTENCE})(?![\\p{L}'-])|(?<=\\p{L} )(?:dot|over|(?:small|little|big) \\p{L})$`,
  'iu',
)

/** "S M I T H", "S as in Sam" */
const isSpelled = (text: string): boolean =>
  /(?<![\p{L}'])\p{L}(?:[ .,-]+\p{L}(?![\p{L}'])| (?:as|for|like) )/iu.test(text)

/**
 * All names that remain without the remarks about them: none if a remark is not understood, several if it is
 * ambiguous.
 * @param text words separated by spaces, and commas
 */
export function withoutNotes(text: string, part: NamePart): readonly string[] {
  for (const [pattern, names] of [...after, ...before]) {
    const name = pattern.exec(text)?.[1]
    if (name !== undefined)
      return names(name, part, text).flatMap((one) => (one === text ? [one] : withoutNotes(one, part)))
  }
  return wordsOf(text).length > 1 && REMARK.test(text) && !isSpelled(text) ? [] : [text]
}
