/** The demographics of a patient as fields: for a new patient, and for changes. */
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { CONTACTS, readContact } from '../api/contacts.ts'
import { Problem, type ProblemIssue, type Wrong } from '../api/problem.ts'
import { dateText } from '../fhir/time.ts'
import { type DateReading, dateIn } from '../fhir/typed-date.ts'
import { elementOf, fieldOf, type PatientFields } from './patient-form.ts'
import { useDateReading } from './use-date-reading.ts'

export const LABELS: Readonly<Record<keyof PatientFields, string>> = {
  given: 'Given names',
  family: 'Family name',
  birthDate: 'Date of birth',
  gender: 'Gender',
  phone: 'Phone',
  email: 'E-mail',
  line: 'Street',
  city: 'City',
  state: 'State',
  postalCode: 'Postal code',
}
const NAMES = Object.keys(LABELS) as readonly (keyof PatientFields)[]

interface FieldsProps {
  readonly value: PatientFields
  readonly problems: readonly Wrong[]
  readonly onChange: (fields: PatientFields) => void
}

export function PatientFieldset({ value, problems, onChange }: FieldsProps) {
  const reading = useDateReading()
  const errors = errorsByField(problems)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {NAMES.map((name) => (
        <Field key={name} name={name} fields={value} error={errors.get(name)} reading={reading} onChange={onChange} />
      ))}
    </SimpleGrid>
  )
}

/** The problems that belong to no field. */
export const problemsOfNoField = (problems: readonly Wrong[]): readonly string[] =>
  problems.filter(({ expression }) => fieldOf(expression ?? '') === undefined).map(({ text }) => text)

interface FieldProps {
  readonly name: keyof PatientFields
  readonly fields: PatientFields
  readonly error: string | undefined
  readonly reading: DateReading
  readonly onChange: (fields: PatientFields) => void
}

function Field({ name, fields, error, reading, onChange }: FieldProps) {
  const common = {
    label: LABELS[name],
    value: fields[name],
    error,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...fields, [name]: currentTarget.value }),
  }
  if (name === 'gender') return <NativeSelect {...common} data={['', 'female', 'male', 'other', 'unknown']} />
  const text = { autoComplete: 'off', dir: 'auto', 'data-autofocus': name === 'given' ? true : undefined } as const
  if (name !== 'birthDate') return <TextInput {...common} {...text} />
  const date = dateIn(fields.birthDate, reading)
  return (
    <TextInput
      {...common}
      {...text}
      // The line stays, so that nothing moves while a date is typed.
      description={date === undefined ? `Such as ${EXAMPLES[reading.order] ?? '24 March 1980'}` : dateText(date)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  )
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'month-first': '3/24/1980 or 24 March 1980',
  'day-first': '24/3/1980 or 24 March 1980',
}

function errorsByField(problems: readonly Wrong[]): ReadonlyMap<keyof PatientFields, string> {
  const found = problems.flatMap(({ expression, text }) => {
    const field = fieldOf(expression ?? '')
    return field === undefined ? [] : [[field, text] as const]
  })
  return new Map(found)
}

/**
 * The fields with phone, e-mail and birth date in the form in which the server stores them. One that was left alone
 * stays as it is.
 * @param before as they were when the form was opened
 * @throws Problem naming each that cannot be read
 */
export async function normalFields(
  fields: PatientFields,
  before: PatientFields,
  reading: DateReading,
): Promise<PatientFields> {
  const issues: ProblemIssue[] = []
  const normal: { -readonly [Name in keyof PatientFields]?: string } = {}
  const isTyped = (name: keyof PatientFields) => fields[name] !== before[name] && fields[name].trim() !== ''
  const refuse = (text: string, expression: string) => issues.push({ text, expression, severity: 'error' })
  if (isTyped('birthDate')) {
    const date = dateIn(fields.birthDate, reading)
    if (date === undefined) refuse(NO_DATE, 'Patient.birthDate')
    else normal.birthDate = date
  }
  for (const name of CONTACTS) {
    if (!isTyped(name)) continue
    const read = await readContact(name, fields[name])
    if ('value' in read) normal[name] = read.value
    else refuse(read.error, elementOf(name))
  }
  if (issues.length > 0) throw new Problem(422, issues)
  return { ...fields, ...normal }
}

const NO_DATE = 'This is no date in the past. Write day, month and year, or what is known of them.'
