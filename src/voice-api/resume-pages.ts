/** The pages to which resume links lead, where the clinic has no form of its own: docs/abandonment.md#resume-links. */
import { type FormFields, fieldWords, kindOfField } from '../calls/recovery/form-fields.ts'
import { escaped, type PlainPage } from '../http/html.ts'

/** The same whatever the token is. */
export const START: PlainPage = {
  title: 'Continue where you left off',
  body: '<p>The link works once.</p>\n<form method="post"><button>Continue</button></form>',
}

/** The same for every reason, so that tokens cannot be told apart. */
export const NOT_VALID: PlainPage = {
  title: 'This link is not valid',
  body: '<p>It has been used, has ended, or never was one. Please ask the clinic for another one.</p>',
}

export interface FormPage extends FormFields {
  /** Name of the clinic. */
  readonly clinic: string
  /** `checkout`, `form` or `registration` */
  readonly kind: string
  /** Values that could not be saved, and why, by the names of their fields. */
  readonly refused: Readonly<Record<string, RefusedValue>>
}

export interface RefusedValue {
  readonly value: string
  readonly error: string
}

/** The known fields of a form, and inputs for the missing ones. */
export const formPage = ({ clinic, kind, known, missing, refused }: FormPage): PlainPage => ({
  title: clinic,
  body: [
    missing.length === 0
      ? '<p role="status">Thank you. Nothing is missing any more.</p>'
      : `<p>You had begun a ${escaped(kind)} and did not finish it.</p>`,
    knownList(known),
    missing.length === 0 ? '' : missingForm(missing, refused),
  ].join('\n'),
})

function knownList(known: FormFields['known']): string {
  const facts = Object.entries(known).map(
    ([name, value]) => `<dt>${escaped(labelOf(name))}</dt><dd>${escaped(shown(value))}</dd>`,
  )
  return facts.length === 0 ? '' : `<h2>What we have</h2>\n<dl>\n${facts.join('\n')}\n</dl>`
}

const shown = (value: string | boolean): string => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value)

const missingForm = (missing: readonly string[], refused: FormPage['refused']): string =>
  `<h2>What is missing</h2>
<form method="post">
${missing.map((name, index) => inputFor(name, `field-${index}`, refused[name])).join('\n')}
<button>Save</button>
</form>`

function inputFor(name: string, id: string, refused: RefusedValue | undefined): string {
  const label = `<label for="${id}">${escaped(labelOf(name))}</label>`
  const problem = refused && `<div class="wrong" id="${id}-problem">${escaped(refused.error)}</div>`
  const described = refused === undefined ? '' : ` aria-invalid="true" aria-describedby="${id}-problem"`
  const attributes = `id="${id}" name="${escaped(name)}"${described}`
  const input =
    name === 'commsConsent'
      ? `<select ${attributes}><option></option><option>yes</option><option>no</option></select>`
      : `<input ${attributes} ${ATTRIBUTES[kindOfField(name) ?? 'text']} maxlength="1000" value="${escaped(refused?.value ?? '')}">`
  return [label, input, problem ?? ''].join('\n')
}

/** Hints for keyboards and for what a browser fills in: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill. */
const ATTRIBUTES: Readonly<Record<NonNullable<ReturnType<typeof kindOfField>> | 'text', string>> = {
  email: 'type="text" inputmode="email" autocomplete="email"',
  phone: 'type="tel" autocomplete="tel"',
  dateOfBirth: 'type="text" autocomplete="bday" placeholder="1980-03-31"',
  firstName: 'type="text" autocomplete="given-name"',
  lastName: 'type="text" autocomplete="family-name"',
  text: 'type="text"',
}

/** `preferredLocation` -> `Preferred location` */
function labelOf(name: string): string {
  if (name === 'commsConsent') return 'May we contact you?'
  const words = fieldWords(name)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
