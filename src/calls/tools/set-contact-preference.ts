/** set_contact_preference: an opt-out is final for calls; only staff can end it. docs/abandonment.md */
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { argumentIssue } from '../../spoken/stated-values.ts'
import type { Abandonment } from '../record/abandonment.ts'
import {
  CONTACT_CHANNELS,
  type ContactChannel,
  hasOptedOut,
  lettersOf,
  optOut,
  type Reached,
  statedChannel,
} from '../record/contact-consent.ts'
import { abandonmentOf, noteOutput } from '../recovery/abandonment-of.ts'

export const setContactPreference = defineOperation('task-set-contact-preference', (request) => {
  const { channels, out } = statedPreference(request.input)
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    if (out) for (const one of channels) await optOut(ctx, one, reachedBy(abandonment, one))
    const text = `${channels.join(', ')}: ${out ? 'opted out' : 'may contact'}`
    await noteOutput(ctx, request, abandonment, [['contact-preference', text]], setContactPreference.code)
    return await resultOf(ctx, abandonment, channels, out)
  })
})

/**
 * Platforms also send `optOut` as text. The caller's "yes" or "no" is not accepted, as its meaning depends on the
 * question.
 * @throws FhirError 400 with an issue for each missing or invalid argument
 */
function statedPreference({ channel, optOut }: OperationInput) {
  const named = statedChannel(channel)
  const channels = CONTACT_CHANNELS.filter((one) => one === named || isAll(channel))
  const out = String(optOut).trim().toLowerCase()
  const issues = [
    ...(channels.length > 0
      ? []
      : [argumentIssue('channel', channel, `it must be ${CONTACT_CHANNELS.join(', ')} or all`)]),
    ...(out === 'true' || out === 'false' ? [] : [argumentIssue('optOut', optOut, 'it must be true or false')]),
  ]
  if (issues.length > 0) throw new FhirError(400, issues)
  return { channels, out: out === 'true' }
}

const isAll = (channel: unknown): boolean => ['all', 'everything'].includes(lettersOf(String(channel)))

const reachedBy = ({ contact, patient }: Abandonment, channel: ContactChannel): Reached => ({
  point: channel === 'email' ? contact.email : contact.phone,
  patient,
})

async function resultOf(ctx: Context, abandonment: Abandonment, asked: readonly ContactChannel[], out: boolean) {
  const preferences: Partial<Record<ContactChannel, string>> = {}
  for (const one of CONTACT_CHANNELS)
    preferences[one] = (await hasOptedOut(ctx.unit, one, reachedBy(abandonment, one))) ? 'opted-out' : 'allowed'
  const isRefused = !out && asked.some((one) => preferences[one] === 'opted-out')
  if (isRefused) {
    return {
      success: false,
      code: 'opted-out',
      preferences,
      say: 'You asked us earlier not to contact you that way. Our staff can change that for you.',
    }
  }
  return {
    success: true,
    preferences,
    say: out ? 'Alright, we will not contact you that way again.' : 'Thank you, noted.',
  }
}
