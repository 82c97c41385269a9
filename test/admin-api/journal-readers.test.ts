/** Access to the journal: for each route, the clinic that its exchange is about and the least role that may see it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Role } from '../../src/clinics/accounts.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { exchangeOf } from '../support/journal.ts'
import { type FhirResponse, request, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, PASSWORD, startTwoClinics, withToken } from '../support/two-clinics.ts'

/** Staff and admins of two clinics, and operators: of the first clinic, and of none. */
const USERS = {
  staff: { clinic: DEMO_CLINIC, role: 'staff' },
  admin: { clinic: DEMO_CLINIC, role: 'admin' },
  'our operator': { clinic: DEMO_CLINIC, role: 'operator' },
  'their staff': { clinic: OTHER_CLINIC, role: 'staff' },
  'their admin': { clinic: OTHER_CLINIC, role: 'admin' },
  operator: { clinic: SERVICE, role: 'operator' },
} as const satisfies Readonly<Record<string, { readonly clinic: string; readonly role: Role }>>
type Name = keyof typeof USERS

const NOBODY = 'nobody'
const PLATFORM = 'a voice platform'

let server: TestServer
const as = new Map<string, TestServer>()
/** A patient of ours, and an event of the audit trail. */
let patient = ''
let event = ''

beforeAll(async () => {
  server = (await startTwoClinics()).server
  for (const [name, account] of Object.entries(USERS)) {
    const token = await logInAs(server, { username: name.replaceAll(' ', '-'), ...account })
    as.set(name, withToken(server, token))
  }
  as.set(NOBODY, withToken(server, 'x.y.z'))
  patient = (await server.fhir('POST', '/Patient', { resourceType: 'Patient' })).body.id
  event = (await userCalled('admin').fhir('GET', '/AuditEvent?_count=1')).body.entry[0].resource.id
})
afterAll(() => server.close())

function userCalled(name: string): TestServer {
  const user = as.get(name)
  if (user === undefined) throw new Error(`There is no user ${name}`)
  return user
}

async function asked(name: string, method: string, path: string, body: unknown): Promise<FhirResponse> {
  const address = path.replace('{patient}', patient).replace('{event}', event)
  if (name !== PLATFORM) return await userCalled(name).fhir(method, address, body)
  const headers = { 'x-voice-secret': 'demo-secret', 'x-call-to': '+12125550199', 'x-call-id': 'their-call' }
  return await request(server.url, method, address, body, headers)
}

const SETTINGS = {
  name: 'Other Clinic',
  timeZone: 'Europe/Vienna',
  dialedNumbers: ['+12125550199'],
  defaultRegion: 'US',
  policies: {},
}
const login = (username: string, password = PASSWORD) => ({ username, password })
const account = (username: string, clinic: string, role: Role) => ({ username, clinic, role, password: PASSWORD })
const batch = (...urls: readonly string[]) => ({
  resourceType: 'Bundle',
  type: 'batch',
  entry: urls.map((url) => ({ request: { method: 'GET', url } })),
})
const NAMES = { resourceType: 'AuditEvent' }
const call = { message: { toolCalls: [{ id: '1', function: { arguments: { statedName: 'Ann Lee' } } }] } }

/** The user, the request, and the clinic and least role of the users who may read its exchange. */
const ROUTES: readonly (readonly [Name | typeof NOBODY | typeof PLATFORM, string, string, string, Role, unknown?])[] = [
  // FHIR: in the clinic of the token, for every role.
  ['staff', 'GET', '/Patient?_count=1', DEMO_CLINIC, 'staff'],
  ['admin', 'GET', '/Patient/{patient}', DEMO_CLINIC, 'staff'],
  ['our operator', 'GET', '/Patient/{patient}', DEMO_CLINIC, 'staff'],
  ['their staff', 'POST', '/Patient', OTHER_CLINIC, 'staff', { resourceType: 'Patient' }],
  ['staff', 'GET', '/nothing/at/all', DEMO_CLINIC, 'staff'],
  ['staff', 'POST', '/', DEMO_CLINIC, 'staff', batch('Patient/{patient}')],
  // Events of the audit trail are for admins, in whichever way they are read.
  ['admin', 'GET', '/AuditEvent?_count=2', DEMO_CLINIC, 'admin'],
  ['admin', 'POST', '/AuditEvent/_search', DEMO_CLINIC, 'admin'],
  ['admin', 'GET', '/AuditEvent/{event}', DEMO_CLINIC, 'admin'],
  ['admin', 'GET', '/AuditEvent/{event}/_history/1', DEMO_CLINIC, 'admin'],
  ['admin', 'GET', '/AuditEvent/{event}/_history', DEMO_CLINIC, 'admin'],
  ['admin', 'GET', '/Patient/{patient}/AuditEvent', DEMO_CLINIC, 'admin'],
  ['admin', 'POST', '/', DEMO_CLINIC, 'admin', batch('Patient?_count=1', 'AuditEvent?_count=1')],
  ['admin', 'GET', '/AuditEvent/trail-there-is-none', DEMO_CLINIC, 'admin'],
  ['staff', 'GET', '/AuditEvent?_count=2', DEMO_CLINIC, 'staff'],
  ['admin', 'POST', '/AuditEvent', DEMO_CLINIC, 'staff', NAMES],
  ['our operator', 'GET', '/AuditEvent?_count=2', DEMO_CLINIC, 'operator'],
  ['operator', 'GET', '/AuditEvent?_count=2', SERVICE, 'operator'],
  // An operator in a clinic: the exchange is that clinic's, and not that of the operator.
  ['our operator', 'GET', `/clinics/${OTHER_CLINIC}/settings`, OTHER_CLINIC, 'staff'],
  ['our operator', 'PUT', `/clinics/${OTHER_CLINIC}/settings`, OTHER_CLINIC, 'staff', SETTINGS],
  ['our operator', 'PUT', `/clinics/${OTHER_CLINIC}/settings`, OTHER_CLINIC, 'staff', { name: '' }],
  ['our operator', 'GET', `/clinics/${OTHER_CLINIC}/sandbox`, OTHER_CLINIC, 'staff'],
  ['our operator', 'PUT', `/clinics/${OTHER_CLINIC}/sandbox`, OTHER_CLINIC, 'staff', { enabled: true }],
  ['operator', 'GET', `/clinics/${DEMO_CLINIC}/settings`, DEMO_CLINIC, 'staff'],
  ['staff', 'GET', `/clinics/${DEMO_CLINIC}/settings`, DEMO_CLINIC, 'staff'],
  ['our operator', 'GET', '/clinics', SERVICE, 'operator'],
  ['our operator', 'POST', '/clinics', SERVICE, 'operator', { id: 'made', ...SETTINGS }],
  ['our operator', 'PUT', '/clinics/there-is-none/settings', SERVICE, 'operator', SETTINGS],
  ['our operator', 'POST', `/clinics/${OTHER_CLINIC}/settings`, SERVICE, 'operator', SETTINGS],
  // A refused request is not about the other clinic.
  ['staff', 'GET', `/clinics/${OTHER_CLINIC}/settings`, DEMO_CLINIC, 'staff'],
  ['staff', 'GET', `/clinics/${OTHER_CLINIC}/outbox`, DEMO_CLINIC, 'staff'],
  ['our operator', 'GET', `/clinics/${OTHER_CLINIC}/outbox`, DEMO_CLINIC, 'staff'],
  ['staff', 'GET', `/clinics/${DEMO_CLINIC}/outbox`, DEMO_CLINIC, 'staff'],
  ['staff', 'GET', `/clinics/${DEMO_CLINIC}/calls/there-is-none`, DEMO_CLINIC, 'staff'],
  ['staff', 'GET', `/clinics/${OTHER_CLINIC}/calls/there-is-none`, DEMO_CLINIC, 'staff'],
  ['staff', 'POST', `/clinics/${DEMO_CLINIC}/connectors/crm/$try`, DEMO_CLINIC, 'staff'],
  // Accounts are for the admins of their clinic; those of no clinic for operators.
  ['admin', 'GET', '/accounts', DEMO_CLINIC, 'admin'],
  ['staff', 'GET', '/accounts', DEMO_CLINIC, 'admin'],
  ['our operator', 'GET', '/accounts', SERVICE, 'operator'],
  ['our operator', 'GET', `/accounts?clinic=${OTHER_CLINIC}`, OTHER_CLINIC, 'admin'],
  ['our operator', 'GET', '/accounts/their-admin', OTHER_CLINIC, 'admin'],
  ['our operator', 'GET', '/accounts/operator', SERVICE, 'operator'],
  ['our operator', 'GET', '/accounts/nobody-has-it', SERVICE, 'operator'],
  ['our operator', 'POST', '/accounts', OTHER_CLINIC, 'admin', account('theirs', OTHER_CLINIC, 'staff')],
  ['admin', 'POST', '/accounts', DEMO_CLINIC, 'admin', account('ours-too', DEMO_CLINIC, 'staff')],
  ['our operator', 'PUT', '/accounts/theirs/name', OTHER_CLINIC, 'admin', { name: 'Theirs' }],
  ['our operator', 'PUT', '/accounts/theirs/password', OTHER_CLINIC, 'admin', { password: PASSWORD }],
  ['our operator', 'PUT', '/accounts/theirs/login', OTHER_CLINIC, 'admin', { enabled: false }],
  ['our operator', 'DELETE', '/accounts/theirs', OTHER_CLINIC, 'admin'],
  ['staff', 'PUT', '/accounts/staff/password', DEMO_CLINIC, 'admin', { password: PASSWORD, currentPassword: 'wrong' }],
  // Logins: in the clinic of the account, those of strangers in none.
  [NOBODY, 'POST', '/session', OTHER_CLINIC, 'admin', login('their-admin')],
  [NOBODY, 'POST', '/session', OTHER_CLINIC, 'admin', login('their-staff', 'wrong password')],
  [NOBODY, 'POST', '/session', SERVICE, 'operator', login('operator')],
  [NOBODY, 'POST', '/session', SERVICE, 'operator', login('nobody-has-it')],
  [NOBODY, 'GET', '/Patient/{patient}', SERVICE, 'operator'],
  [NOBODY, 'GET', '/clinics/there-is-none/settings', SERVICE, 'operator'],
  // Live calls and forms: the clinic that was dialled.
  [PLATFORM, 'POST', '/patient-journey/resolve_patient_identity', OTHER_CLINIC, 'staff', call],
  [PLATFORM, 'POST', '/abandonments', OTHER_CLINIC, 'staff', {}],
  ['staff', 'POST', '/abandonments', DEMO_CLINIC, 'staff', {}],
]

/** Whether a user reads an exchange of a clinic, by its id and in the list. @param part of its journal, as a query */
async function reads(name: string, clinic: string, id: string, part = ''): Promise<readonly [boolean, boolean]> {
  const of = clinic === SERVICE ? '/exchanges' : `/clinics/${clinic}/exchanges`
  const { fhir } = userCalled(name)
  const [one, list] = await Promise.all([fhir('GET', `${of}/${id}?${part}`), fhir('GET', `${of}?count=5&${part}`)])
  const listed = (list.body.exchanges ?? []).some((exchange: { id: string }) => exchange.id === id)
  return [one.status === 200, listed]
}

const RANK: Readonly<Record<Role, number>> = { staff: 0, admin: 1, operator: 2 }

const mayRead = (name: Name, clinic: string, leastRole: Role): boolean => {
  const user = USERS[name]
  return user.role === 'operator' || (user.clinic === clinic && RANK[user.role] >= RANK[leastRole])
}

describe('an exchange is read in the journal of the clinic that it is about, by its least role and those above it', () => {
  test.each(ROUTES)('%s: %s %s', async (...[name, method, path, clinic, leastRole, body]) => {
    const answer = await asked(name, method, path, body)
    const of = clinic === SERVICE ? '/exchanges' : `/clinics/${clinic}/exchanges`
    const { id } = await exchangeOf(userCalled('operator'), answer, of)
    const places = [DEMO_CLINIC, OTHER_CLINIC, SERVICE]
    const all = (Object.keys(USERS) as Name[]).flatMap((reader) => places.map((place) => [reader, place] as const))
    const found = await Promise.all(
      all.map(async ([reader, place]) => [reader, place, ...(await reads(reader, place, id))]),
    )
    const expected = all.map(([reader, place]) => {
      const may = place === clinic && mayRead(reader, clinic, leastRole)
      return [reader, place, may, may]
    })
    expect(found).toEqual(expected)
  })
})

test('a failed authentication at the path of a clinic is read by its admins and by operators, apart from its exchanges', async () => {
  const answer = await asked(NOBODY, 'GET', `/clinics/${DEMO_CLINIC}/settings`, undefined)
  const id = answer.headers.get('x-request-id') ?? ''
  const failed = 'authentication=failed'
  while (!(await reads('operator', DEMO_CLINIC, id, failed))[0]) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const reader of Object.keys(USERS) as Name[]) {
    const may = mayRead(reader, DEMO_CLINIC, 'admin')
    expect([reader, ...(await reads(reader, DEMO_CLINIC, id, failed))]).toEqual([reader, may, may])
    for (const place of [DEMO_CLINIC, OTHER_CLINIC, SERVICE])
      expect([reader, place, ...(await reads(reader, place, id))]).toEqual([reader, place, false, false])
  }
})
