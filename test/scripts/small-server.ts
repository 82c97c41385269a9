/** A small FHIR server that does what a probe looks at, and each of these things wrong on purpose where it is told to. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Appointment, CapabilityStatement, Patient, Slot } from 'fhir/r4'

export interface SmallServer {
  readonly url: string
  /** The names of the mistakes that it makes. */
  readonly mistakes: Set<string>
  /** `type/interaction`, `type/$operation` or a type that its CapabilityStatement leaves out. */
  readonly unoffered: Set<string>
  /** Resources by `Type/id`. */
  readonly store: Map<string, Stored>
  /** Requests so far: `GET /metadata`. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

interface Stored {
  readonly resourceType: string
  readonly id: string
  readonly status?: string
  readonly [element: string]: unknown
}

interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const HOUR = 3_600_000

export async function startSmallServer(): Promise<SmallServer> {
  const state = { mistakes: new Set<string>(), unoffered: new Set<string>(), store: new Map<string, Stored>() }
  const requests: string[] = []
  fill(state.store)
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const { status, body, headers } = await new Small(state).answer(request)
    if (status === 0) return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/fhir+json', ...headers })
    response.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((done) => server.close(() => done())),
  }
}

function fill(store: SmallServer['store']): void {
  const schedule: Stored = { resourceType: 'Schedule', id: 'day', actor: [{ reference: 'Practitioner/one' }] }
  store.set('Schedule/day', schedule)
  for (const hour of [24, 25, 26, 27, 28, 29]) {
    const start = new Date(Math.ceil(Date.now() / HOUR) * HOUR + hour * HOUR)
    const id = `slot-${hour}`
    store.set(`Slot/${id}`, {
      ...{ resourceType: 'Slot', id, status: hour === 24 ? 'busy' : 'free', schedule: { reference: 'Schedule/day' } },
      ...{ start: start.toISOString(), end: new Date(+start + HOUR).toISOString() },
    })
  }
}

const INTERACTIONS = ['read', 'create', 'update', 'delete', 'search-type'] as const
const TYPES: Readonly<Record<string, { parameters: readonly string[]; operations: readonly string[] }>> = {
  Schedule: { parameters: [], operations: [] },
  Slot: { parameters: ['status', 'start'], operations: [] },
  Patient: { parameters: ['family', 'birthdate'], operations: ['match'] },
  Appointment: { parameters: [], operations: ['find', 'hold', 'book'] },
  DocumentReference: { parameters: ['patient'], operations: [] },
}

const refused = (status: number, text: string): Reply => ({
  status,
  body: {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'processing', diagnostics: text }],
  },
})

const bundleOf = (resources: readonly object[], search?: object): Reply => ({
  status: 200,
  body: {
    resourceType: 'Bundle',
    type: 'searchset',
    entry: resources.map((resource) => ({ resource, search: { mode: 'match', ...search } })),
  },
})

class Small {
  readonly #state: Pick<SmallServer, 'mistakes' | 'unoffered' | 'store'>

  constructor(state: Pick<SmallServer, 'mistakes' | 'unoffered' | 'store'>) {
    this.#state = state
  }

  #does(mistake: string): boolean {
    return this.#state.mistakes.has(mistake)
  }

  #all<R extends object = Stored>(type: string): readonly (R & { id: string })[] {
    return [...this.#state.store.values()].filter(({ resourceType }) => resourceType === type) as never
  }

  async answer(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const [type = '', second] = pathname.slice(1).split('/')
    if (type === 'metadata') return this.#statement()
    if (type === 'elsewhere') return { status: 307, headers: { location: 'http://127.0.0.2/metadata' } }
    let body: Stored
    try {
      body = JSON.parse((await textOf(request)) || '{}')
    } catch {
      return this.#does('bad-json') ? { status: 400, body: 'Bad JSON' } : refused(400, 'The body is no JSON')
    }
    if (second?.startsWith('$')) return this.#operation(type, second, searchParams, body)
    if (request.method === 'GET')
      return second === undefined ? this.#search(type, searchParams) : this.#read(type, second)
    if (request.method === 'POST') return this.#create(type, body)
    if (request.method === 'DELETE') return this.#delete(`${type}/${second}`)
    return this.#update(`${type}/${second}`, body, request.headers['if-match'])
  }

  #statement(): Reply {
    if (this.#does('metadata')) return { status: 200, body: { resourceType: 'Conformance' } }
    const { unoffered } = this.#state
    const statement: CapabilityStatement = {
      ...{ resourceType: 'CapabilityStatement', status: 'active', date: '2026-01-01', kind: 'instance' },
      ...{ fhirVersion: '4.0.1', format: ['json'] },
      rest: [
        {
          mode: 'server',
          resource: Object.entries(TYPES)
            .filter(([type]) => !unoffered.has(type))
            .map(([type, { parameters, operations }]) => ({
              type: type as 'Patient',
              versioning: 'versioned',
              interaction: INTERACTIONS.filter((code) => !unoffered.has(`${type}/${code}`)).map((code) => ({ code })),
              searchParam: parameters.map((name) => ({ name, type: 'string' as const })),
              operation: operations
                .filter((name) => !unoffered.has(`${type}/$${name}`))
                .map((name) => ({ name, definition: `http://127.0.0.1/OperationDefinition/${name}` })),
            })),
        },
      ],
    }
    return { status: 200, body: statement }
  }

  #search(type: string, query: URLSearchParams): Reply {
    if (type === 'Schedule' && this.#does('schedule-search')) return bundleOf(this.#all<Slot>('Slot'))
    if (type === 'Slot') return bundleOf(this.#slots(query))
    if (query.has('no-such-parameter') && !this.#does('unknown-parameter')) return refused(400, 'No such parameter')
    return bundleOf(this.#all(type).filter((one) => this.#isFound(one, query)))
  }

  #isFound({ name, subject }: Stored, query: URLSearchParams): boolean {
    const [family, patient] = [query.get('family'), query.get('patient')]
    if (this.#does('patient-search') && family !== null) return false
    if (this.#does('document-search') && patient !== null) return false
    const [{ family: own } = { family: '' }] = (name ?? []) as Patient['name'] & []
    const { reference } = (subject ?? {}) as { reference?: string }
    return (family === null || own === family) && (patient === null || reference === patient)
  }

  #slots(query: URLSearchParams): readonly Slot[] {
    const isWhole = !query.has('status')
    return this.#all<Slot>('Slot').filter(({ status, start }) => {
      const isFree = isWhole || status === 'free' || this.#does('slot-free')
      if (isWhole && this.#does('slot-range')) return true
      return isFree && query.getAll('start').every((one) => isWithin(start, one))
    })
  }

  #read(type: string, id: string): Reply {
    const found = this.#state.store.get(`${type}/${id}`)
    if (found === undefined) return this.#does('not-found') ? { status: 404 } : refused(404, 'Not found')
    const body: Record<string, unknown> = { ...found }
    if (type === 'Patient' && this.#does('patient-read')) body.birthDate = '1900-01-01'
    if (type === 'Slot' && this.#does('slot-busy')) body.status = 'free'
    if (type === 'Appointment' && this.#does('book-read') && found.status === 'booked') body.status = 'pending'
    if (type === 'DocumentReference' && this.#does('document-read'))
      body.content = [{ attachment: { data: Buffer.from('Another text').toString('base64') } }]
    return { status: 200, body, headers: { etag: `W/"${versionOf(found)}"` } }
  }

  #create(type: string, body: Stored): Reply {
    if (type === 'Patient' && body.gender === 'f' && !this.#does('bad-code')) return refused(422, 'No such gender')
    if (type === 'Patient' && body.gender !== 'f' && this.#does('patient-create')) return refused(500, 'Not today')
    if (type === 'DocumentReference' && this.#does('document-create')) return refused(403, 'Read only')
    if (type === 'Appointment') return this.#book(body as Stored & Appointment)
    return this.#keep({ ...body, id: randomUUID() })
  }

  #keep(resource: Stored, status = 201): Reply {
    const { resourceType: type, id } = resource
    const version = versionOf(this.#state.store.get(`${type}/${id}`)) + 1
    const body = { ...resource, meta: { versionId: String(version) } } as Stored
    this.#state.store.set(`${type}/${id}`, body)
    return { status, body, headers: { location: `/${type}/${id}/_history/${version}`, etag: `W/"${version}"` } }
  }

  #book(visit: Stored & Appointment): Reply {
    const slots = slotsOf(visit)
    const isFree = slots.every((id) => this.#state.store.get(id)?.status === 'free')
    if (!isFree && !this.#does('book-again')) return refused(409, 'The slot is taken')
    if (this.#does('book')) return refused(422, 'No visits today')
    for (const id of slots) this.#set(id, 'busy')
    return this.#keep({ ...visit, id: randomUUID() })
  }

  #set(id: string, status: string): void {
    const slot = this.#state.store.get(id)
    if (slot !== undefined) this.#state.store.set(id, { ...slot, status })
  }

  #update(id: string, body: Stored, ifMatch: string | undefined): Reply {
    const before = this.#state.store.get(id) as (Stored & Appointment) | undefined
    if (before === undefined) return refused(404, 'Not found')
    const isStale = ifMatch !== undefined && ifMatch !== `W/"${versionOf(before)}"`
    if (isStale && !this.#does('stale-update')) return refused(412, 'Another version')
    const visit = body as Stored & Appointment
    const isMove = visit.status === 'booked' && visit.start !== before.start
    if (isMove && this.#does('reschedule')) return this.#keep({ ...before }, 200)
    if (visit.status === 'cancelled' && this.#does('cancel')) return refused(422, 'No way back')
    this.#follow(before, visit, isMove)
    return this.#keep({ ...visit }, 200)
  }

  #follow(before: Stored & Appointment, visit: Appointment, isMove: boolean): void {
    const stays = (isMove && this.#does('reschedule-slots')) || (!isMove && this.#does('cancel-frees'))
    if (stays) return
    for (const id of slotsOf(before)) this.#set(id, 'free')
    if (visit.status === 'booked') for (const id of slotsOf(visit)) this.#set(id, 'busy')
  }

  #delete(id: string): Reply {
    if (this.#does('delete')) return refused(405, 'Nothing is deleted')
    this.#state.store.delete(id)
    return { status: 204 }
  }

  #operation(type: string, operation: string, query: URLSearchParams, body: Stored): Reply {
    if (type === 'Patient') return this.#match(body)
    if (operation === '$find') return this.#find(query)
    return operation === '$hold' ? this.#hold(body) : this.#bookHeld(body)
  }

  #match(body: Stored): Reply {
    const parameters = body.parameter as readonly { name: string; resource?: Patient; valueBoolean?: boolean }[]
    const wanted = parameters[0]?.resource
    const isOnlyCertain = parameters.some(({ name }) => name === 'onlyCertainMatches')
    const found = this.#all<Patient>('Patient').filter(
      ({ name, birthDate }) =>
        (name?.[0]?.family === wanted?.name?.[0]?.family && birthDate === wanted?.birthDate) ||
        this.#does('match-none'),
    )
    if (isOnlyCertain && found.length > 1 && !this.#does('match-only-certain')) return bundleOf([])
    const shown = this.#does('match-duplicate') ? found.slice(0, 1) : found
    return bundleOf(shown, {
      score: 0.99,
      extension: [
        {
          url: 'http://hl7.org/fhir/StructureDefinition/match-grade',
          valueCode: this.#does('match-certain') ? 'possible' : 'certain',
        },
      ],
    })
  }

  #find(query: URLSearchParams): Reply {
    const free = this.#all<Slot>('Slot').filter(({ status }) => status === 'free')
    const proposed = free.map(
      ({ id, start, end }): Appointment => ({
        ...{ resourceType: 'Appointment', id: `offer-${id}`, status: this.#does('find') ? 'booked' : 'proposed' },
        ...{ start, end, slot: [{ reference: `Slot/${id}` }] },
        participant: [{ actor: { reference: query.get('patient-reference') ?? '' }, status: 'needs-action' }],
      }),
    )
    return bundleOf(proposed)
  }

  #hold(body: Stored): Reply {
    const slot = `Slot/${referenceIn(body).replace('Appointment/offer-', '')}`
    if (this.#state.store.get(slot)?.status !== 'free' && !this.#does('hold-again')) return refused(409, 'It is held')
    this.#set(slot, 'busy-tentative')
    const status = this.#does('hold') ? 'booked' : 'pending'
    const visit: Appointment = { resourceType: 'Appointment', status, slot: [{ reference: slot }], participant: [] }
    const { body: held } = this.#keep({ ...visit, id: randomUUID() } as never)
    return bundleOf([held as object])
  }

  #bookHeld(body: Stored): Reply {
    const held = this.#state.store.get(referenceIn(body))
    if (held === undefined || this.#does('book-held')) return refused(404, 'Not held')
    const { body: booked } = this.#keep({ ...held, status: 'booked' })
    return bundleOf([booked as object])
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const versionOf = (resource: Stored | undefined): number =>
  Number((resource?.meta as { versionId?: string } | undefined)?.versionId ?? 0)

const slotsOf = ({ slot = [] }: Pick<Appointment, 'slot'>): readonly string[] =>
  slot.map(({ reference = '' }) => reference)

const referenceIn = (body: Stored): string =>
  (body.parameter as readonly { valueReference?: { reference?: string } }[])[0]?.valueReference?.reference ?? ''

/** @param condition `ge2026-01-01T00:00:00Z` */
function isWithin(start: string, condition: string): boolean {
  const [time, limit] = [Date.parse(start), Date.parse(condition.slice(2))]
  return condition.startsWith('ge') ? time >= limit : time < limit
}
