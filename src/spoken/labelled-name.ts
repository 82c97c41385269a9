/** Names whose parts the caller labels: "last name Smith, first name John". */
import { type NamePart, withoutNotes } from './name-notes.ts'
import { withoutSaid, withSpelling } from './spelled-name.ts'

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
