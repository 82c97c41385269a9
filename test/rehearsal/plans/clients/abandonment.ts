/** Clients for the plan abandonment: an agent on the phone, the platform around it, and a page for staff over FHIR. */
import { randomUUID } from 'node:crypto'
import { Client, type Mistakes } from './client.ts'

export class AbandonmentClient extends Client {
  async run(): Promise<void> {
    await this.breakOff('broken-off')
    const abandonment = await this.report()
    await this.register('recovery', abandonment)
    await this.recover('recovery')
    await this.refuseCalls('recovery')
    await this.logOutcome('recovery')
    await this.listForStaff()
  }

  /** The caller hangs up in the middle of a registration. */
  async breakOff(call: string): Promise<void> {
    await this.at.tool({ tool: 'update_registration_field', args: { firstName: 'Yorick', lastName: 'Vance' }, call })
    await this.end(call)
  }

  async end(call: string): Promise<void> {
    await this.at.voice(`/calls/${this.at.callId(call)}/end`, { reason: 'customer-ended-call' })
  }

  /** @returns the id of the abandonment */
  async report(): Promise<string> {
    const abandonment = {
      kind: 'form',
      stepReached: 'contact',
      fields: { firstName: 'Zora', email: null },
      contact: { phone: '+12125550177', email: 'zora@example.com' },
      consent: true,
    }
    const headers = { ...this.at.headersOf('recovery'), ...this.keyOfRequest() }
    return (await this.at.voice('/abandonments', abandonment, headers)).body?.id
  }

  keyOfRequest(): Record<string, string> {
    return { 'idempotency-key': randomUUID() }
  }

  /** A call that the clinic places. */
  async register(call: string, abandonment: string): Promise<void> {
    await this.at.voice('/calls', { callId: this.at.callId(call), dialedNumber: this.at.dialedNumber, abandonment })
  }

  async recover(call: string): Promise<void> {
    await this.lookUp(call)
    await this.save(call, 'email', 'zora at example dot com')
    await this.sendLink(call)
  }

  async lookUp(call: string): Promise<void> {
    await this.at.tool({ tool: 'get_recovery_context', call })
  }

  async save(call: string, fieldName: string, value: string): Promise<void> {
    await this.at.tool({ tool: 'save_recovery_field', args: { fieldName, value }, call })
  }

  async sendLink(call: string): Promise<void> {
    await this.at.tool({ tool: 'send_resume_link', args: { channel: 'email' }, call })
  }

  async refuseCalls(call: string): Promise<void> {
    await this.at.tool({ tool: 'set_contact_preference', args: { channel: 'phone', optOut: true }, call })
  }

  async logOutcome(call: string): Promise<void> {
    await this.at.tool({ tool: 'log_call_outcome', args: { outcome: 'recovered' }, call })
  }

  async listForStaff(): Promise<void> {
    await this.at.fhir('GET', '/Task?code=abandonment-recovery&_sort=-_lastUpdated')
  }
}

export const abandonmentMistakes: Mistakes = {
  'reports-end': class extends AbandonmentClient {
    override async end() {}
  },
  'nothing-after-end': class extends AbandonmentClient {
    override async breakOff(call: string) {
      await super.breakOff(call)
      await this.at.tool({ tool: 'update_registration_field', args: { phone: '212 555 0178' }, call })
    }
  },
  'reports-abandonment': class extends AbandonmentClient {
    override keyOfRequest() {
      return {}
    }
  },
  'context-first': class extends AbandonmentClient {
    override async lookUp() {}
  },
  'only-missing': class extends AbandonmentClient {
    override async lookUp(call: string) {
      await super.lookUp(call)
      await this.save(call, 'firstName', 'Zora')
    }
  },
  saves: class extends AbandonmentClient {
    override save(call: string, fieldName: string) {
      return super.save(call, fieldName, 'zora at example')
    }
  },
  'one-link': class extends AbandonmentClient {
    override async sendLink(call: string) {
      await super.sendLink(call)
      await super.sendLink(call)
    }
  },
  'no-callback-after-opt-out': class extends AbandonmentClient {
    override async refuseCalls(call: string) {
      await super.refuseCalls(call)
      await this.at.tool({ tool: 'schedule_callback', args: { when: 'tomorrow at two in the afternoon' }, call })
    }
  },
  'logs-outcome': class extends AbandonmentClient {
    override async logOutcome() {}
  },
  'lists-for-staff': class extends AbandonmentClient {
    override async listForStaff() {}
  },
}
