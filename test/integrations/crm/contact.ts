/** A contact as the outbox hands it to a connector. */
import type { CrmContact } from '../../../src/core/ports.ts'

export const TOKEN = 'token-of-the-clinic'

export const CONTACT: CrmContact = {
  clinic: 'a',
  patient: 'p1',
  event: 'intake.submitted',
  messageId: 'message-1',
  fields: {
    firstName: 'Zoë',
    lastName: 'Roe',
    dateOfBirth: '1980-03-03',
    phone: '+12125550124',
    email: 'zoe@example.com',
    address: '12 Elm Street, Springfield',
    reasonForVisit: 'a cough',
  },
}
