/** Clients for the plan live-call-tools: an agent on the phone, and FHIR behind it. */
import { randomUUID } from 'node:crypto'
import { Client, type Mistakes } from './client.ts'
import type { ToolAnswer, ToolCall } from './connection.ts'

const INTAKE = {
  firstName: 'Zebulon',
  lastName: 'Quist',
  dateOfBirth: 'September ninth nineteen ninety',
  phone: '518 555 0199',
  email: 'zebulon dot quist at example dot com',
  address: '12 Elm Street, Albany',
  reasonForVisit: 'a cough for two weeks',
}
const INSURANCE = { payerName: 'Acme Health', memberId: 'INACT-2001' }
const OKAFOR = { practitionerName: 'doctor Okafor' }

export class CallClient extends Client {
  async run(): Promise<void> {
    await this.bookVisit('booking')
    await this.register('registration')
    await this.findOverFhir()
  }

  async bookVisit(call: string): Promise<void> {
    await this.verify(call)
    await this.book(call)
  }

  async verify(call: string): Promise<void> {
    const args = { statedName: 'Marguerite Oyelaran', statedDateOfBirth: '1957-04-12' }
    await this.use({ tool: 'verify_patient', args, call })
  }

  /** Offers one time after the other until one is booked. */
  async book(call: string): Promise<void> {
    const { result } = await this.use({ tool: 'find_available_slots', args: OKAFOR, call })
    for (const { slotKey } of result?.slots ?? []) {
      const booked = await this.use({ tool: 'book_appointment', args: { slotKey }, call })
      if (booked.result?.success) return
      await this.whenTaken(slotKey, call)
    }
  }

  async whenTaken(_slotKey: string, call: string): Promise<void> {
    await this.use({ tool: 'find_available_slots', args: OKAFOR, call })
  }

  async register(call: string): Promise<void> {
    await this.validate(call)
    const { result } = await this.use({ tool: 'submit_intake', args: INTAKE, call })
    if (result?.code === 'transient') await this.use({ tool: 'submit_intake', args: INTAKE, call })
    await this.pay(call)
  }

  async validate(call: string): Promise<void> {
    for (const fieldName of ['dateOfBirth', 'phone', 'email'] as const)
      await this.use({ tool: 'validate_intake_field', args: { fieldName, value: INTAKE[fieldName] }, call })
  }

  async pay(call: string): Promise<void> {
    const { result } = await this.use({ tool: 'submit_insurance_info', args: INSURANCE, call })
    if (!result?.success) await this.decide(call)
  }

  async decide(call: string): Promise<void> {
    const args = { decision: 'self_pay_continue', selfPayPriceCents: 12_999 }
    await this.use({ tool: 'record_self_pay_decision', args, call })
  }

  /** A tool call; sent again under its id where no answer has come. */
  async use(toolCall: ToolCall): Promise<ToolAnswer> {
    const id = randomUUID()
    const answer = await this.at.tool({ id, ...toolCall })
    return answer.status === 0 ? this.at.tool({ ...toolCall, id: this.idOfRepeat(id) }) : answer
  }

  idOfRepeat(id: string): string {
    return id
  }

  async findOverFhir(): Promise<void> {
    await this.at.fhir('POST', '/Patient/$match', {
      resourceType: 'Patient',
      name: [{ family: 'Quist', given: ['Zebulon'] }],
      birthDate: '1990-09-09',
      telecom: [{ system: 'phone', value: '+15185550199' }],
    })
  }
}

export const callMistakes: Mistakes = {
  secret: 'attested-no',
  'one-call-id': class extends CallClient {
    override async book() {
      await this.verify('another')
      await super.book('another')
    }
  },
  'slot-taken': class extends CallClient {
    override async whenTaken(slotKey: string, call: string) {
      await this.use({ tool: 'book_appointment', args: { slotKey }, call })
      await super.whenTaken(slotKey, call)
    }
  },
  'repeat-id': class extends CallClient {
    override idOfRepeat() {
      return randomUUID()
    }
  },
  patience: class extends CallClient {
    override use(toolCall: ToolCall) {
      return super.use({ patience: 1_000, ...toolCall })
    }
  },
  validates: class extends CallClient {
    override async validate() {}
  },
  'read-back': 'attested-no',
  'failure-told': 'attested-no',
  'self-pay': class extends CallClient {
    override async pay(call: string) {
      await this.decide(call)
      await this.use({ tool: 'submit_insurance_info', args: INSURANCE, call })
    }
  },
  'found-by-match': class extends CallClient {
    override use(toolCall: ToolCall) {
      const { tool, args } = toolCall
      const heard = { ...args, dateOfBirth: 'September nineteenth nineteen ninety' }
      return super.use(tool === 'submit_intake' ? { ...toolCall, args: heard } : toolCall)
    }
  },
}
