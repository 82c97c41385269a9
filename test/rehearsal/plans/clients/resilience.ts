/** Clients for the plan resilience, over FHIR and on the phone. */
import { Client, daysAhead, type Mistakes, nextOf, retryAfter, wait } from './client.ts'
import type { Answer, ToolAnswer, ToolCall } from './connection.ts'

const PATIENTS = [
  ...['abernathy-ruth', 'adeyemi-tunde', 'bianchi-paolo', 'brooks-denise', 'chowdhury-nadia', 'dimitrov-elena'],
  ...['fitzgerald-maeve', 'goldberg-samuel', 'haddad-layla'],
]

/** The most times that the same is sent. */
const TRIES = 3

export class ResilientClient extends Client {
  async run(): Promise<void> {
    for (const patient of PATIENTS) await this.get(`/Patient/${patient}`)
    await this.register()
    await this.fileCommunication()
    await this.fileObservation()
    await this.showFreeTimes()
    for (const tool of ['get_clinic_info', 'list_appointment_types', 'find_available_slots']) await this.use({ tool })
    await this.use({ tool: 'validate_intake_field', args: { fieldName: 'phone', value: '212 555 0123' } })
  }

  /** Reading is sent again until there is an answer. */
  async get(address: string): Promise<Answer> {
    let answer = await this.read(address)
    for (let tries = 1; tries < TRIES && this.isToBeRepeated(answer); tries++) {
      await this.pause(answer)
      answer = await this.read(address)
    }
    return answer
  }

  read(address: string): Promise<Answer> {
    return this.at.fhir('GET', address)
  }

  /** 0: no answer, or half of one. With 401 the client would fetch a new token first. */
  isToBeRepeated({ status }: Answer): boolean {
    return [0, 401, 429, 502, 503].includes(status)
  }

  async pause(answer: Answer): Promise<void> {
    if (answer.headers.has('retry-after')) await wait(retryAfter(answer))
  }

  async register(): Promise<void> {
    const answer = await this.create('lost-answer')
    if (answer.status === 0) await this.create('lost-answer')
  }

  /** A repeat finds what was stored. */
  create(value: string): Promise<Answer> {
    const [system, patient] = ['urn:example:resilience', { resourceType: 'Patient', active: true }]
    const headers = { 'if-none-exist': `identifier=${system}|${value}` }
    return this.at.fhir('POST', '/Patient', { ...patient, identifier: [{ system, value }] }, headers)
  }

  async fileCommunication(): Promise<void> {
    const subject = { reference: 'Patient/abernathy-ruth' }
    const { status } = await this.at.fhir('POST', '/Communication', {
      resourceType: 'Communication',
      status: 'completed',
      subject,
    })
    if (status === 202) await this.whenAccepted()
  }

  async whenAccepted(): Promise<void> {
    await this.get('/Communication?subject=Patient/abernathy-ruth')
  }

  async fileObservation(): Promise<void> {
    const [subject, code] = [{ reference: 'Patient/abernathy-ruth' }, { text: 'Mood' }]
    const sent = { resourceType: 'Observation', status: 'final', code, subject, valueString: 'good' }
    const answer = await this.at.fhir('POST', '/Observation', sent)
    if (answer.body === undefined) await this.whenEmpty(answer)
  }

  async whenEmpty({ headers }: Answer): Promise<void> {
    const location = headers.get('location') ?? ''
    await this.get(location.replace(/\/_history\/.*/, ''))
  }

  async showFreeTimes(): Promise<void> {
    const first = `/Slot?status=free&start=gt${daysAhead(0)}&_count=100`
    for (let address: string | undefined = first; address !== undefined; ) {
      const page = await this.get(address)
      address = page.status === 410 ? this.afterExpiry(first) : nextOf(page)
    }
  }

  afterExpiry(first: string): string | undefined {
    return first
  }

  /** A tool call; sent again, under its id, until there is a result that can be read. */
  async use(toolCall: ToolCall): Promise<ToolAnswer> {
    const same = { id: toolCall.tool, ...toolCall }
    const answer = await this.at.tool(same)
    if (!this.failedForAMoment(answer)) return answer
    await wait(1_100)
    return this.at.tool(same)
  }

  failedForAMoment({ status, result }: ToolAnswer): boolean {
    return status !== 200 || result === undefined || result.code === 'transient'
  }
}

/** Takes one status for the end. */
const givesUpAt = (given: number) =>
  class extends ResilientClient {
    override isToBeRepeated(answer: Answer) {
      return answer.status !== given && super.isToBeRepeated(answer)
    }
  }

/** Asks for one patient in another way. */
const reads = (patient: string, read: (at: ResilientClient['at'], address: string) => Promise<Answer>) =>
  class extends ResilientClient {
    override get(address: string) {
      return address.endsWith(patient) ? read(this.at, address) : super.get(address)
    }
  }

const once = (patient: string) => reads(patient, (at, address) => at.fhir('GET', address))

const twiceAtOnce = (patient: string) =>
  reads(patient, async (at, address) => {
    await at.fhir('GET', address)
    return at.fhir('GET', address)
  })

/** Takes the first result of one tool, whatever it is. */
const takesFirstOf = (tool: string) =>
  class extends ResilientClient {
    override use(toolCall: ToolCall) {
      return toolCall.tool === tool ? this.at.tool(toolCall) : super.use(toolCall)
    }
  }

export const resilienceMistakes: Mistakes = {
  throttled: twiceAtOnce('abernathy-ruth'),
  maintenance: twiceAtOnce('adeyemi-tunde'),
  gateway: givesUpAt(502),
  'token-expired': givesUpAt(401),
  'no-scope': class extends ResilientClient {
    override isToBeRepeated(answer: Answer) {
      return answer.status === 403 || super.isToBeRepeated(answer)
    }
  },
  slow: reads('dimitrov-elena', (at, address) => at.fhir('GET', address, undefined, {}, 500)),
  hang: once('fitzgerald-maeve'),
  reset: once('goldberg-samuel'),
  'half-answer': once('haddad-layla'),
  'lost-answer': class extends ResilientClient {
    override create(value: string) {
      const identifier = [{ system: 'urn:example:resilience', value }]
      return this.at.fhir('POST', '/Patient', { resourceType: 'Patient', active: true, identifier })
    }
  },
  accepted: class extends ResilientClient {
    override async whenAccepted() {
      await this.fileCommunication()
      await super.whenAccepted()
    }
  },
  'empty-201': class extends ResilientClient {
    override async whenEmpty() {}
  },
  'page-expired': class extends ResilientClient {
    override afterExpiry() {
      return undefined
    }
  },
  'tool-throttled': takesFirstOf('get_clinic_info'),
  'tool-transient': takesFirstOf('list_appointment_types'),
  'tool-broken': takesFirstOf('validate_intake_field'),
  'tool-slow': class extends ResilientClient {
    override use(toolCall: ToolCall) {
      return toolCall.tool === 'find_available_slots' ? super.use({ ...toolCall, patience: 500 }) : super.use(toolCall)
    }
  },
}
