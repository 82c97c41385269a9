/** Sentences for the caller when a visit cannot be booked, moved or cancelled, by the rule that refused it. */
import { FhirError } from '../../fhir/outcome.ts'

const OTHER_TIME = 'I am sorry, that time has just been taken. Shall I look for another one?'

/** By `Issue.reason`; docs/tools/book-appointment.md */
const SENTENCES: Readonly<Record<string, string>> = {
  'slot-unavailable': OTHER_TIME,
  'past-time': 'I am sorry, that time has passed. Shall I look for a later one?',
  'minimum-notice': 'I am sorry, that is too soon for us. Shall I look for a later time?',
  'booking-horizon': 'I am sorry, we do not book that far ahead yet. Shall I look for an earlier time?',
  'too-many-open-appointments':
    'I am sorry, you have as many appointments as we book for one person. Would you like to cancel one first?',
  'cancellation-window':
    'I am sorry, it is too late to cancel or move that appointment. Would you like to speak with a person at the clinic?',
  'not-movable': 'I am sorry, that appointment cannot be moved any more.',
  'illegal-status-move': 'I am sorry, that appointment cannot be changed any more.',
}

/** Reasons that mean the same to the caller as another one. */
const SAME: Readonly<Record<string, string>> = { 'slot-not-found': 'slot-unavailable' }

/** Runs `work`, and adds a sentence to speak to a failure of the booking rules. */
export async function spokenRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    const reason = SAME[error.code] ?? error.code
    const text = SENTENCES[reason]
    const [first, ...others] = error.issues
    if (first === undefined || first.text !== undefined || text === undefined) throw error
    throw new FhirError(error.status, [{ ...first, reason, text }, ...others], error.headers)
  }
}
