/** Removes the words around a name: "yes, hi, this is Jane Doe speaking" becomes "jane doe". */
import { withDoubleU } from './spelling.ts'
import { plain } from './spoken.ts'

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
