/** The outbox, whose entries are delivered in the background. */
import type { ClinicAccess } from '../../core/context.ts'
import { DueWork, type DueWorkServices } from '../due-work.ts'
import { type DeliveryParts, deliverDue } from './delivery.ts'
import { OUTBOX, type OutboxRow } from './rows.ts'

export interface OutboxServices extends DeliveryParts, DueWorkServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

export class Outbox extends DueWork<OutboxRow> {
  constructor(services: OutboxServices) {
    super(services, {
      kind: OUTBOX,
      // The CRM of a clinic and its messaging service have slots of their own.
      systemOf: ({ message }) => (message === undefined ? 'crm' : 'messages'),
      workOn: async ({ clinic, key: messageId }) => {
        const tried = await deliverDue(services.accessOf(clinic), services, messageId)
        if (tried === undefined) return
        const { tries, outcome } = tried
        services.logger.info({ clinic, messageId, tries, ...outcome }, 'outbox delivery')
      },
      failure: 'the outbox could not be worked on',
    })
  }

  /** Tries every due row, and resolves when all have been tried. */
  deliverDue(): Promise<void> {
    return this.workOnDue()
  }
}
