/** validate_intake_field (spec 4.1 rule 7, 8): checks the format of one value; no patient is read or written. */
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation } from '../../core/operation.ts'
import { isNumber } from '../../fhir/json.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { spokenName } from '../../spoken/say.ts'
import { sayDate } from '../../spoken/say-time.ts'
import { argumentIssue, localeOf, readStated } from '../../spoken/stated-values.ts'

const CHECKED = ['email', 'phone', 'dateOfBirth'] as const

/** Adds the date in words, as only these reveal in which order day and month were read. */
const readBack = (field: (typeof CHECKED)[number], value: string) =>
  field === 'dateOfBirth'
    ? { inWords: sayDate(value), say: `Thank you, that is ${sayDate(value)}.` }
    : { say: 'Thank you.' }

export const validateIntakeField = defineOperation('patient-validate-intake-field', async ({ access, input }) => {
  const { fieldName, value } = input
  if (typeof fieldName !== 'string') {
    throw new FhirError(400, argumentIssue('fieldName', fieldName, 'The value must be the name of a field'))
  }
  const field = CHECKED.find((name) => name === fieldName)
  // Any other field is valid, with any value or none.
  if (field === undefined) return { valid: true, code: 'not-checked', say: 'Thank you.' }
  const ctx = access.reader()
  const stated = readStated(field, value, localeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
  if (stated.ok) return { valid: true, code: 'valid', value: stated.value, ...readBack(field, stated.value) }
  if (typeof value !== 'string' && !isNumber(value))
    throw new FhirError(400, argumentIssue('value', value, stated.error))
  return {
    valid: false,
    code: 'invalid',
    error: stated.error,
    say: `Sorry, I did not get your ${spokenName(field)}. Could you say it again?`,
  }
})
