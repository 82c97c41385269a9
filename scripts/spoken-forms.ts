/** Prints the table of spoken forms by kind: how many are right, asked back and wrong. `npm run spoken-forms` */
import { formsOf, kinds, READERS, type SpokenForm } from '../test/spoken/forms.ts'

type Outcome = 'right' | 'asked back' | 'wrong'

/** Asking back is right where the form is ambiguous; elsewhere it costs a question, but stores no wrong value. */
function outcomeOf(kind: string, { said, stored }: SpokenForm): Outcome {
  const heard = READERS[kind]?.(said)
  if (heard?.ok !== true) return 'asked back'
  return String(heard.value) === stored ? 'right' : 'wrong'
}

const rows = kinds.map((kind) => {
  const forms = formsOf(kind)
  const outcomes = forms.map((form) => outcomeOf(kind, form))
  const count = (wanted: Outcome): number => outcomes.filter((one) => one === wanted).length
  const needless = forms.filter((form, at) => form.stored !== undefined && outcomes[at] === 'asked back').length
  return {
    kind,
    forms: forms.length,
    traps: forms.filter(({ isTrap }) => isTrap).length,
    right: count('right'),
    'asked back': count('asked back'),
    'of these needlessly': needless,
    wrong: count('wrong'),
  }
})

const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0)

console.table([
  ...rows,
  {
    kind: 'all',
    forms: sum(({ forms }) => forms),
    traps: sum(({ traps }) => traps),
    right: sum(({ right }) => right),
    'asked back': sum((row) => row['asked back']),
    'of these needlessly': sum((row) => row['of these needlessly']),
    wrong: sum(({ wrong }) => wrong),
  },
])
if (rows.some(({ wrong }) => wrong > 0)) process.exitCode = 1
