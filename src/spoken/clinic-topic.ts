/** The topic of a question about the clinic, in any words: "are you open on Saturday", "where can I park". */

export type ClinicTopic =
  | { readonly kind: 'everything' | 'hours' | 'address' | 'phone' | 'name' }
  | { readonly kind: 'contact'; readonly system: 'email' | 'fax' | 'url'; readonly spoken: string }
  /** A topic covered by sentences in the descriptions of the sites, found by these words. */
  | { readonly kind: 'note'; readonly words: RegExp; readonly spoken: string }

/** Tried in this order: "where can I park" is not about the address. */
const TOPICS: readonly (readonly [said: RegExp, topic: ClinicTopic])[] = [
  note('parking', 'park(?:ing|ed)?|garages?|cars?', 'parking|garages?'),
  note('access', 'wheelchairs?|accessib\\w*|step-free|steps?|stairs|ramps?|elevators?|lifts?|disab\\w*'),
  note('public transport', 'bus(?:es)?|trains?|subway|metro|trams?|transit|public transport'),
  [/\be-?mails?\b/, { kind: 'contact', system: 'email', spoken: 'email address' }],
  [/\bfax\b/, { kind: 'contact', system: 'fax', spoken: 'fax number' }],
  [/\bweb ?(?:site|page)\b|\bonline\b|\burl\b/, { kind: 'contact', system: 'url', spoken: 'website' }],
  [/\b(?:tele)?phone\b|\bnumber\b|\bcall\b/, { kind: 'phone' }],
  [/\bhours?\b|\bopen\w*\b|\bclos(?:e|es|ed|ing)\b|\bwhen\b|day\b|\bweekends?\b/, { kind: 'hours' }],
  [/\baddress(?:es)?\b|\bwhere\b|\blocat\w+\b|\bdirections?\b|\bstreet\b|\boffices?\b/, { kind: 'address' }],
  [/\bname\b|\bcalled\b/, { kind: 'name' }],
]

/** @param written the words to find in descriptions, if they differ from the callers' words */
function note(spoken: string, said: string, written = said): readonly [RegExp, ClinicTopic] {
  return [wordsOf(said), { kind: 'note', words: wordsOf(written), spoken }]
}

function wordsOf(alternatives: string): RegExp {
  return new RegExp(`\\b(?:${alternatives})\\b`, 'i')
}

/** Words in any question, which do not indicate a topic. */
const COMMON = new Set(
  'about also another anything clinic could does doctor from have help here information know like many much need other please some tell that them there they this want what which will with would your yours'.split(
    ' ',
  ),
)

/** @param text the caller's words; absent: everything */
export function clinicTopic(text: string | undefined): ClinicTopic {
  if (text === undefined) return { kind: 'everything' }
  const said = text.toLowerCase()
  const [, known] = TOPICS.find(([pattern]) => pattern.test(said)) ?? []
  if (known !== undefined) return known
  const words = (said.match(/\p{L}{4,}/gu) ?? []).filter((word) => !COMMON.has(word))
  const stems = words.map((word) => word.replace(/(?:ing|s)$/, ''))
  return {
    kind: 'note',
    words: stems.length === 0 ? /(?!)/ : new RegExp(`(?<!\\p{L})(?:${stems.join('|')})`, 'iu'),
    spoken: 'that',
  }
}
