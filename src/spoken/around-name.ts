/**
 * The words around a name: remarks about it ("hyphenated", "now Jones"), the sentence in which it is said ("yes, hi, this is
 * Jane Doe speaking"), and labels of its parts ("last name Smith, first name John").
 */
import { withDoubleU, withoutSaid, withSpelling } from './spelling.ts'
import { plain } from './spoken.ts'

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

/**
 * The name in lower case: words separated by spaces, with "," for a pause. More than one result if the first word may
 * be a filler or a name ("so young kim"); [''] if nothing else was said.
 */
export function withoutAsides(text: string): readonly string[] {
  let rest = withoutEnding(afterAnchor(normalized(text)))
  for (;;) {
    const shorter = LEAD_INS.reduce((left, leadIn) => left.replace(leadIn, ''), rest).replace(/^(?:, )+/, '')
    if (shorter === rest) break
    rest = shorter
  }
  return withFewerWords(withoutEnding(rest.replace(CONTINUATION, '')))
}

/** The text without all possible fillers at the beginning, without the first one only, and unchanged. */
const withFewerWords = (text: string): readonly string[] => [
  ...new Set([text.replace(MAYBE_FILLERS_FIRST, ''), text.replace(MAYBE_FILLER_FIRST, ''), text]),
]

const alternatives = (...phrases: readonly string[]): string => phrases.join('|')

/** Fillers that are never names. */
const FILLER = alternatives(
  ...['yes', 'yeah', 'yep', 'yup', 'yea', 'ya', 'hi', 'hello', 'hey', 'howdy', 'hiya', 'there', 'greetings'],
  ...['good (?:morning|afternoon|evening|day)', 'uh-huh', 'mm+', 'okay', 'alright'],
  ...['actually', 'absolutely', 'certainly', 'of course', 'correct', 'please', 'thanks', 'thank you', 'sorry'],
  ...['excuse me', 'sir', "ma'am", 'maam', 'speaking', 'again', 'i said', 'you can say', 'let me see'],
)

/** Fillers that are also names: So, Um, Oh, Ok, No and Im are Korean family names. */
const MAYBE_FILLER = alternatives(
  ...['so', 'um', 'oh', 'ah', 'eh', 'er', 'ok', 'sure', 'well', 'no', 'nope', 'right', 'and', 'im'],
)

const MY_NAME_IS =
  "(?:(?:my|the|his|her|our|your) )?(?:(?:full|whole|complete|legal|own|patient's|patient|caller's|caller) )*names?(?:'s| is| was| would be| will be)?"

/** Phrases that introduce a name and are never one. */
const INTRODUCTION = alternatives(
  `(?:and )?${MY_NAME_IS}`,
  "(?:it's|it is|that's|that is|this is) me",
  'this is (?:she|he|her|him)(?= ,| \\p{L})',
  "(?:this|that|it|he|she|here|mine|speaking)(?:'s| is| was| would be| will be)",
  'thats|its',
  "(?:i'm|i am)(?: just)?(?: (?:called|calling|known as))?",
  'i go by|(?:(?:they|people|you can|just|please) )?call me|everyone calls me',
  "you(?:'re| are) (?:speaking|talking) (?:to|with)",
  "the (?:patient|caller|customer)(?:'s| is| would be)?|(?:patient|caller) is",
)

/**
 * Fillers are removed if words follow, introductions always. Possible names are removed only before a pause or another
 * filler or introduction.
 */
const LEAD_INS: readonly RegExp[] = [
  new RegExp(`^(?:${INTRODUCTION})(?:$| (?:, )?)`, 'u'),
  new RegExp(`^(?:${FILLER}) (?:, )?(?=.*\\p{L})`, 'u'),
  new RegExp(`^(?:(?:${MAYBE_FILLER}) )+(?=(?:${FILLER}|${INTRODUCTION})(?: |$))`, 'u'),
  new RegExp(`^(?:(?:${MAYBE_FILLER}) )+, (?=.*\\p{L})`, 'u'),
]

const MAYBE_FILLERS_FIRST = new RegExp(`^(?:(?:${MAYBE_FILLER}) )+(?=\\p{L})`, 'u')
const MAYBE_FILLER_FIRST = new RegExp(`^(?:${MAYBE_FILLER}) (?=\\p{L})`, 'u')

/** "i have an appointment, my name is jane doe": the name follows the last of them. */
const afterAnchor = (text: string): string =>
  text.replace(/^.*(?<!\S)(?:my|the) (?:full |whole |legal )?name(?:'s| is) (?:, )?(?=\p{L})/u, '')

/** The start of another topic after the name. */
const CONTINUATION = new RegExp(
  `(?<=\\p{L}) (?:, )?(?:and )?(?:${alternatives(
    "i(?:'d|'m|'ve| would| am| want| wanted| need| have| was| live| think)",
    'my (?:phone|number|date|birth|birthday|dob|e-?mail|address|cell|mobile|telephone)',
    'calling (?:about|from|for|to|in|on|regarding|because|with)',
    'date of birth|dob|born (?:on|in|at)|from|with an appointment|can (?:i|you)|could (?:i|you)|how (?:are|can)',
  )})(?: .*)?$`,
  'u',
)

/** Words after a name that do not belong to it. */
const ENDINGS: readonly RegExp[] = [
  new RegExp(
    `(?<=\\p{L})(?: ,)? (?:${alternatives(
      ...['speaking', 'here', 'over here', 'calling', 'please', 'thanks', 'thank you', 'sir', "ma'am", 'maam', 'again'],
      ...['is speaking', 'is calling', 'is here', 'is me', "that's me", 'that is me', 'on the (?:line|phone)'],
      ...[
        'is my (?:full )?name',
        'is the name',
        "that's my name",
        "that's it",
        'that is it',
        'yes',
        'yep',
        'yeah',
        'you know',
      ],
    )})$`,
    'u',
  ),
  /(?<=\p{L}) , (?:good (?:morning|afternoon|evening|day)|right|correct|ok|okay|sure|um|so|well)$/u,
  / (?:,|and) (?:(?:and|my|the|with) )*(?:first|last|middle|family|given) name(?: is)?$/,
  /(?: ,)+$/,
]

function withoutEnding(text: string): string {
  let rest = text
  for (;;) {
    const shorter = ENDINGS.reduce((left, ending) => left.replace(ending, ''), rest)
    if (shorter === rest) return rest
    rest = shorter
  }
}

/** Replaces punctuation by pauses; keeps hyphens and apostrophes within names. */
const normalized = (text: string): string =>
  withDoubleU(plain(text).toLowerCase())
    .replace(/…|\.{2,}|[^\p{L}\p{M}\p{N}\s.'-]+|(?<!\S)-+(?!\S)/gu, ' , ')
    .replace(/\.|(?<!\S)'+|'+(?!\S)/g, ' ')
    .replace(/ with(?:out)?(?: (?:an?|no|the|one|two))+ \p{L}(?!\S)/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/(?<!\S)(?:uh|uhm|umm|erm|hm+) (?:, )?(?=\S)| (?:uh|uhm|umm|erm|hm+)$/g, '')
    .replace(/ comma (?=[\p{L},])/gu, ' , ')
    .replace(/(?<!\S)(?:first(?: name)? and (?:the )?last|given and family) name(?!\S)/g, 'name')
    .replace(/(?: ,)+(?= )/g, ' ,')
    .replace(/^[ ,]+|[ ,]+$/g, '')

/** Words in the form that `withSpelling` returns. */
export interface LabelledName {
  readonly family: readonly string[]
  readonly given: readonly string[]
}

type Label = 'family' | 'given'

const LABEL =
  /(?<=^| )(?:(?:and|with|my|the|his|her|our|a) )*(?<!\bno )(?:(first|given|christian|last|family|middle) (?:name|initial)|(fore|sur)name)s?(?:'s| is| was| would be)?(?: ,)?(?= |$)/gu

/** Turns "smith is my last name" into "last name smith". */
const LABEL_AFTER =
  /(?<=^| )(?:(?:,|and) )*(\p{L}[^,]*?) is (?:my|the|his|her) ((?:first|given|last|family|middle) name|forename|surname)(?= |$)/gu

/**
 * Readings of a text in which part of the name is labelled; undefined if none is.
 * @param text as returned by `withoutAsides`
 */
export function labelledName(text: string): readonly LabelledName[] | undefined {
  const said = text.replace(LABEL_AFTER, ' $2 $1').trim()
  const labels = [...said.matchAll(LABEL)]
  if (labels.length === 0) return undefined
  const parts = labels.map((match, index) => ({
    label: labelOf(match[1] ?? match[2]),
    text: bare(said.slice(match.index + match[0].length, labels[index + 1]?.index)),
  }))
  const before = bare(said.slice(0, labels[0]?.index))
  return combined(before, parts)
}

const labelOf = (word: string | undefined): Label =>
  ['last', 'family', 'sur'].includes(word ?? '') ? 'family' : 'given'

/** Removes the words that connect it to the label. */
const bare = (text: string): string => text.replace(/^(?: |,|is )+|(?:(?:^| )(?:,|and|is|with|my))* *$/g, '')

/** The words before the labels are the unlabelled part of the name, minus words repeated in the labelled ones. */
function combined(
  before: string,
  parts: readonly { readonly label: Label; readonly text: string }[],
): readonly LabelledName[] {
  const textOf = (wanted: Label): string =>
    parts
      .filter(({ label, text }) => label === wanted && text !== '')
      .map(({ text }) => text)
      .join(' ')
  const [families, givens] = [readingsOf(textOf('family'), 'family'), readingsOf(textOf('given'), 'given')]
  const rest = families.some(isEmpty) === givens.some(isEmpty) ? [[]] : readingsOf(before, 'whole')
  return families.flatMap((family) =>
    givens.flatMap((given) =>
      rest.map((words) => {
        const others = withoutSaid(words, isEmpty(family) ? given : family)
        return isEmpty(family) ? { family: others, given } : { family, given: isEmpty(given) ? others : given }
      }),
    ),
  )
}

const readingsOf = (text: string, part: NamePart): readonly (readonly string[])[] =>
  text === '' ? [[]] : withoutNotes(text, part).flatMap(withSpelling)

const isEmpty = (words: readonly string[]): boolean => words.length === 0
