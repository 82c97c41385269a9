/** A caller in tests: one call of the demo clinic with its own id, and its resources as staff read them over FHIR. */
import type { Encounter, FhirResource, Patient, Provenance, Task } from 'fhir/r4'
import { toolFamilies } from '../../src/calls/families.ts'
import { request, type TestServer } from '../support/server.ts'

const familyOf = (tool: string): string | undefined =>
  Object.entries(toolFamilies).find(([, tools]) => Object.hasOwn(tools, tool))?.[0]

export class Caller {
  readonly id: string
  readonly #server: TestServer
  readonly #headers: Readonly<Record<string, string>>
  static #count = 0

  /** @param from the caller's number */
  constructor(server: TestServer, from?: string) {
    Caller.#count += 1
    this.id = `caller-${Caller.#count}`
    this.#server = server
    this.#headers = { 'x-call-id': this.id, ...(from === undefined ? {} : { 'x-call-from': from }) }
  }

  use(tool: string, args: object): Promise<Record<string, unknown>> {
    return this.#server.tool(`/${familyOf(tool)}/${tool}`, args, this.#headers)
  }

  /** The caller hangs up. */
  async end(): Promise<void> {
    const { status, text } = await request(this.#server.url, 'POST', `/calls/${this.id}/end`, undefined, {
      'x-voice-secret': 'demo-secret',
    })
    if (status !== 200) throw new Error(text)
  }

  async find<R extends FhirResource>(path: string): Promise<readonly R[]> {
    const { body, status } = await this.#server.fhir('GET', `/${path}`)
    if (status !== 200) throw new Error(`GET ${path}: ${JSON.stringify(body)}`)
    return (body.entry ?? []).map(({ resource }: { resource: R }) => resource)
  }

  async encounter(): Promise<Encounter | undefined> {
    const [encounter, ...more] = await this.find<Encounter>(`Encounter?identifier=${this.id}`)
    if (more.length > 0) throw new Error('the call has more than one Encounter')
    return encounter
  }

  /** The patient of the call; undefined while nothing was written. */
  async patient(): Promise<Patient | undefined> {
    const reference = (await this.encounter())?.subject?.reference
    return reference === undefined ? undefined : (await this.#server.fhir('GET', `/${reference}`)).body
  }

  async patientId(): Promise<string> {
    const id = (await this.patient())?.id
    if (id === undefined) throw new Error('the call has no patient')
    return id
  }

  tasks = async (): Promise<readonly Task[]> =>
    this.find<Task>(`Task?patient=${await this.patientId()}&_sort=_lastUpdated`)

  provenances = async (): Promise<readonly Provenance[]> =>
    this.find<Provenance>(`Provenance?entity=Encounter/${(await this.encounter())?.id}&_sort=_lastUpdated`)
}

/** The inputs of a Task, by code. */
export function attachedTo(task: Task | undefined): Readonly<Record<string, readonly unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const { type, ...value } of task?.input ?? []) {
    const [held] = Object.values(value)
    const code = type.coding?.[0]?.code ?? ''
    found[code] = [...(found[code] ?? []), held]
  }
  return found
}

/** Every field that update_registration_field knows. */
export const ALL_FIELDS = {
  firstName: 'Jane',
  lastName: 'Doe',
  phone: '+12125550123',
  email: 'jane@example.com',
  preferredLocation: 'Downtown',
  medicareStatus: 'not enrolled',
  healthPlanName: 'Blue Harbor Gold',
  referralSource: 'a friend',
  commsConsent: true,
}

/** Every argument of submit_intake. */
export const INTAKE = {
  firstName: 'John',
  lastName: 'Roe',
  dateOfBirth: '1980-03-03',
  phone: '+12125550124',
  email: 'john.roe@example.com',
  address: '12 Elm Street, Springfield',
  reasonForVisit: 'a cough for two weeks',
}
