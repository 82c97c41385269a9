/** validate_intake_field (spec 4.1 rule 7, 8): looks at the format of one value; reads and writes nothing of a patient. */
import { readSettings } from '../clinics/settings.ts'
import { defineOperation } from '../operations/operation.ts'
import { spokenName } from './say.ts'
import { placeOf, readStated } from './stated-values.ts'

const CHECKED = ['email', 'phone', 'dateOfBirth'] as const

export const validateIntakeField = defineOperation('patient-validate-intake-field', async ({ access, input }) => {
  const field = CHECKED.find((name) => name === input.fieldName)
  if (field === undefined) return { valid: true, code: 'not-checked', say: 'Thank you.' }
  const ctx = access.reader()
  const stated = readStated(field, input.value, placeOf(await readSettings(ctx.unit, ctx.clinic), ctx.now))
  return stated.ok
    ? { valid: true, code: 'valid', value: stated.value, say: 'Thank you.' }
    : {
        valid: false,
        code: 'invalid',
        error: stated.error,
        say: `Sorry, I did not get your ${spokenName(field)}. Could you say it again?`,
      }
})
