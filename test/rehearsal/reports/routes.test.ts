/** Reports over HTTP: in each form, compared with CapabilityStatements, shared by a link, and as resources of the clinic. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, TestReport, TestScript } from 'fhir/r4'
import { parseXml } from '../../../src/fhir/xml/parse.ts'
import { type FhirResponse, request } from '../../support/server.ts'
import { askAs, type Rehearsed, startRehearsed } from '../rehearsed.ts'
import { junitProblems } from './junit-schema.ts'

const PLAN = {
  ...{ plan: 'looks', title: 'Looks for a <patient>', version: '1.0.0', description: 'A plan of a test' },
  steps: [
    {
      ...{ id: 'search', title: 'Searches for patients', source: 'https://hl7.org/fhir/R4/search.html' },
      expect: { interaction: 'search-type', type: 'Patient' },
    },
    {
      ...{ id: 'book', title: 'Books', source: 'https://hl7.org/fhir/R4/appointment.html' },
      expect: { interaction: 'create', type: 'Appointment' },
    },
  ],
}

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
  await clinic.ask('PUT', '/plans/looks', PLAN)
})
afterAll(() => clinic.server.close())

/** The requests of a client within a run that is open. */
async function startRun(): Promise<string> {
  const { body } = await clinic.ask('POST', '/runs', { plan: 'looks', clientName: 'Scheduler "2"' })
  const headers = { authorization: `Bearer ${clinic.server.token}`, 'x-run-id': body.run }
  await request(clinic.server.url, 'GET', '/Patient?family=Smith&birthdate=1970-01-01', undefined, headers)
  await request(clinic.server.url, 'GET', '/Slot?start=ge2026-01-01', undefined, headers)
  return body.run
}

async function finishedRun(): Promise<string> {
  const run = await startRun()
  const { status, body } = await clinic.ask('POST', `/runs/${run}/finish`)
  expect([status, body.result, body.score]).toEqual([200, 'fail', 50])
  return run
}

const typeOf = ({ headers }: FhirResponse) => headers.get('content-type')

describe('the report of a run', () => {
  let run: string
  beforeAll(async () => {
    run = await finishedRun()
  })

  test('is a page without scripts, with links to the exchanges in the dashboard', async () => {
    const answer = await clinic.ask('GET', `/runs/${run}.html`)
    expect([answer.status, typeOf(answer)]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).toContain('<h1>Looks for a &lt;patient&gt;</h1>')
    const link = /<a href="([^"]+)">GET \/Patient/.exec(answer.text)?.[1] ?? ''
    expect(link).toMatch(new RegExp(`^${clinic.server.url}/dashboard/journal/[\\w-]{36}$`))
    const exchange = await clinic.ask('GET', `/exchanges/${link.split('/').at(-1)}`)
    expect([exchange.status, exchange.body.type]).toEqual([200, 'Patient'])
  })

  test('is JUnit XML', async () => {
    const answer = await clinic.ask('GET', `/runs/${run}.xml`)
    expect([answer.status, typeOf(answer)]).toEqual([200, 'application/xml; charset=utf-8'])
    expect(junitProblems(answer.text)).toEqual([])
    expect(answer.text).toContain('tests="2" failures="1" errors="0"')
  })

  test('is Markdown', async () => {
    const answer = await clinic.ask('GET', `/runs/${run}.md`)
    expect([answer.status, typeOf(answer)]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(answer.text).toMatch(/^### Looks for a \\<patient\\>: fail\n\n\*\*1 of 2 steps pass \(50 %\)\*\*/)
  })

  test('is a TestReport, whose details are the addresses of exchanges', async () => {
    const answer = await clinic.ask('GET', `/runs/${run}.json`)
    expect([answer.status, typeOf(answer)]).toEqual([200, 'application/fhir+json; charset=utf-8'])
    const { operation } = (answer.body as TestReport).test?.[0]?.action[0] ?? {}
    expect(operation?.detail).toContain(`${clinic.server.url}/clinics/demo-clinic/exchanges/`)
    expect((await clinic.ask('GET', operation?.detail?.split('demo-clinic')[1] ?? '')).status).toBe(200)
  })

  test.each(['html', 'xml', 'md', 'json'])(
    'is the same .%s each time, to the byte, and read by staff too',
    async (form) => {
      const { text } = await clinic.ask('GET', `/runs/${run}.${form}`)
      const again = await clinic.ask('GET', `/runs/${run}.${form}`, undefined, clinic.server.token)
      expect(again.text).toBe(text)
    },
  )

  test.each(['html', 'xml', 'md', 'json', 'pdf'])(
    'is not there with the suffix .%s of an unknown run',
    async (form) => {
      expect((await clinic.ask('GET', `/runs/run-unknown.${form}`)).status).toBe(404)
    },
  )

  test('of an open run tells what is known so far', async () => {
    const open = await startRun()
    expect((await clinic.ask('GET', `/runs/${open}.json`)).body).toMatchObject({
      status: 'in-progress',
      result: 'pending',
    })
    expect((await clinic.ask('GET', `/runs/${open}.xml`)).text).toContain('failures="0" errors="1"')
    expect((await clinic.ask('GET', `/runs/${open}.html`)).text).toContain('>pending</strong>')
    await clinic.ask('POST', `/runs/${open}/abort`)
  })
})

describe('the capability of a client', () => {
  let run: string
  beforeAll(async () => {
    run = await finishedRun()
  })

  const compared = (statement: unknown, of = run) => clinic.ask('POST', `/runs/${of}/capability`, statement)

  test('is a CapabilityStatement of what it was seen to use', async () => {
    const { status, body } = await clinic.ask('GET', `/runs/${run}/capability`)
    expect([status, body.implementation.description]).toEqual([200, 'Scheduler "2"'])
    expect(body.rest[0].resource).toMatchObject([
      {
        type: 'Patient',
        interaction: [{ code: 'search-type' }],
        searchParam: [{ name: 'birthdate' }, { name: 'family' }],
      },
      { type: 'Slot', interaction: [{ code: 'search-type' }], searchParam: [{ name: 'start' }] },
    ])
    const { body: outcome } = await clinic.server.fhir('POST', '/CapabilityStatement/$validate', body)
    expect(outcome.issue.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
  })

  test('is compared with what the client declares', async () => {
    const { body: statement } = await clinic.ask('GET', `/runs/${run}/capability`)
    statement.rest[0].resource[1].interaction.push({ code: 'read' })
    statement.rest[0].resource.shift()
    const { status, body } = await compared(statement)
    expect([status, body]).toEqual([
      200,
      {
        declaredNotSeen: [
          expect.objectContaining({ text: "Slot: the interaction 'read' is declared, but was not seen" }),
        ],
        seenNotDeclared: [expect.objectContaining({ text: 'The type Patient was seen, but is not declared' })],
        notOffered: [],
      },
    ])
  })

  test('is compared with what a server offers, also where its statement is as long as ours', async () => {
    const { body: ours, text } = await request(clinic.server.url, 'GET', '/metadata')
    expect(text.length).toBeGreaterThan(400_000)
    expect((await compared(ours)).body).toEqual({ declaredNotSeen: [], seenNotDeclared: [], notOffered: [] })
    const resource = ours.rest[0].resource.filter(({ type }: { type: string }) => type !== 'Slot')
    const { body } = await compared({ ...ours, rest: [{ ...ours.rest[0], resource }] })
    expect(body.notOffered).toEqual([
      { type: 'Slot', what: 'type', name: 'Slot', text: 'The type Slot was seen, but the server has no such thing' },
    ])
  })

  test.each([{}, [], { resourceType: 'Patient' }, { resourceType: 'CapabilityStatement', rest: {} }])(
    'is not compared with %j',
    async (body) => {
      const answer = await compared(body)
      expect([answer.status, answer.body.error]).toEqual([
        400,
        expect.stringContaining('must be a CapabilityStatement'),
      ])
    },
  )

  test('is not compared with more than two megabytes', async () => {
    const long = { resourceType: 'CapabilityStatement', rest: [], description: 'x'.repeat(2_000_001) }
    expect((await compared(long)).status).toBe(413)
  })

  test('is compared with what the server offers under a strictness profile', async () => {
    const ours = await clinic.ask('GET', `/runs/${run}/capability?against=oracle-r4`)
    const { body: oracle } = await request(clinic.server.url, 'GET', '/as/oracle-r4/metadata')
    expect([ours.status, ours.body]).toEqual([200, (await compared(oracle)).body])
  })

  test('is not compared with a strictness profile that there is not, or with two', async () => {
    const { status, body } = await clinic.ask('GET', `/runs/${run}/capability?against=oracle-r3`)
    expect([status, body.error]).toEqual([404, expect.stringContaining('did you mean oracle-r4?')])
    expect((await clinic.ask('GET', `/runs/${run}/capability?against=a&against=b`)).status).toBe(400)
  })

  test('is compared when the run has ended', async () => {
    const open = await startRun()
    expect((await compared({ resourceType: 'CapabilityStatement', rest: [] }, open)).status).toBe(409)
    expect((await clinic.ask('GET', `/runs/${open}/capability`)).status).toBe(200)
    await clinic.ask('POST', `/runs/${open}/abort`)
  })
})

describe('a shared link', () => {
  let run: string
  beforeAll(async () => {
    run = await finishedRun()
  })

  const share = (body: object = {}) => clinic.ask('POST', `/runs/${run}/share`, body)

  /** A request without credentials. */
  const open = (url: string) => request(url, 'GET', '')

  async function sharedUrl(): Promise<string> {
    const { status, body } = await share()
    expect(status).toBe(201)
    return body.url
  }

  test('shows the report to everybody, without a link that needs a login, and is neither kept nor indexed', async () => {
    const url = await sharedUrl()
    expect(url).toMatch(new RegExp(`^${clinic.server.url}/shared-reports/[\\w-]{32}$`))
    const answer = await open(url)
    expect([answer.status, typeOf(answer)]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('<h1>Looks for a &lt;patient&gt;</h1>')
    expect(answer.text).not.toMatch(/href=|\/dashboard/)
    const headers = ['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => answer.headers.get(name))
    expect(headers).toEqual(['no-store', 'noindex', 'no-referrer'])
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  })

  test('has the other forms by their suffixes', async () => {
    const url = await sharedUrl()
    expect(parseXml((await open(`${url}.xml`)).text).name).toBe('testsuites')
    expect((await open(`${url}.md`)).text).not.toContain('](')
    expect((await open(`${url}.json`)).body).toMatchObject({ resourceType: 'TestReport', id: run })
    expect((await open(`${url}.pdf`)).status).toBe(404)
  })

  test('ends after a week, or when it is said', async () => {
    const days = async (ttl?: string) => {
      const { body } = await share(ttl === undefined ? {} : { ttl })
      return Math.round((Date.parse(body.expiresAt) - Date.now()) / 86_400_000)
    }
    expect([await days(), await days('P30D'), await days('P2D')]).toEqual([7, 30, 2])
  })

  test.each([{ ttl: 'PT59M' }, { ttl: 'P31D' }, { ttl: 'soon' }, { ttl: 7 }, { until: 'P1D' }])(
    'is not made for %j',
    async (body) => {
      expect((await share(body)).status).toBe(400)
    },
  )

  test('is ended with all others of the run, and none is left that was never made', async () => {
    const urls = [await sharedUrl(), await sharedUrl()]
    expect((await clinic.ask('DELETE', `/runs/${run}/share`)).status).toBe(204)
    const never = `${clinic.server.url}/shared-reports/${'a'.repeat(32)}`
    const answers = await Promise.all([...urls, never, `${never}b`].map(open))
    for (const { status, text, headers } of answers) {
      expect([status, headers.get('x-robots-tag')]).toEqual([404, 'noindex'])
      expect(text).toBe(answers[0]?.text)
    }
    expect((await open(`${never}.json`)).body).toMatchObject({ code: 'link-not-valid' })
    expect((await clinic.ask('DELETE', `/runs/${run}/share`)).status).toBe(204)
    expect((await open(await sharedUrl())).status).toBe(200)
  })

  test('may exist twenty times for a run', async () => {
    await clinic.ask('DELETE', `/runs/${run}/share`)
    const statuses: number[] = []
    for (let made = 0; made < 21; made++) statuses.push((await share()).status)
    expect(statuses).toEqual([...Array(20).fill(201), 409])
    await clinic.ask('DELETE', `/runs/${run}/share`)
  })

  test('shows nothing while the sandbox of the clinic is off', async () => {
    const url = await sharedUrl()
    await clinic.ask('PUT', '/sandbox', { enabled: false })
    expect((await open(url)).status).toBe(404)
    await clinic.ask('PUT', '/sandbox', { enabled: true })
    expect((await open(url)).status).toBe(200)
  })

  test('is made by admins alone, and its token is in no journal', async () => {
    const { status } = await clinic.ask('POST', `/runs/${run}/share`, {}, clinic.server.token)
    expect(status).toBe(403)
    const url = await sharedUrl()
    await open(url)
    const token = url.split('/').at(-1) ?? ''
    const { body } = await clinic.ask('GET', '/exchanges?count=20')
    expect(JSON.stringify(body)).toContain('/shared-reports/[removed]')
    for (const { id } of body.exchanges) {
      const { text } = await clinic.ask('GET', `/exchanges/${id}`)
      expect(text).not.toContain(token)
    }
  })

  test('of a run that there is not is not made', async () => {
    expect((await clinic.ask('POST', '/runs/run-unknown/share', {})).status).toBe(404)
    expect((await clinic.ask('DELETE', '/runs/run-unknown/share')).status).toBe(404)
  })
})

test('a shared link shows nothing once it has expired', async () => {
  let now = Date.now()
  const later = await startRehearsed({}, { clock: () => now })
  try {
    await later.ask('PUT', '/plans/looks', PLAN)
    const { body: started } = await later.ask('POST', '/runs', { plan: 'looks' })
    await later.ask('POST', `/runs/${started.run}/finish`)
    const { body } = await later.ask('POST', `/runs/${started.run}/share`, { ttl: 'PT1H' })
    now += 3_599_000
    expect((await request(body.url, 'GET', '')).status).toBe(200)
    now += 1_000
    expect((await request(body.url, 'GET', '')).status).toBe(404)
  } finally {
    await later.server.close()
  }
})

test('a shared link shows nothing once the clone of its run has ended', async () => {
  const { body } = await clinic.ask('POST', '/runs', { plan: 'looks', clone: true })
  const { clinic: clone, run, token } = body
  const shared = await askAs(clinic.server, token, 'POST', `/clinics/${clone}/runs/${run}/share`, {})
  const open = async () => (await request(shared.body.url, 'GET', '')).status
  expect(await open()).toBe(200)
  expect((await askAs(clinic.server, token, 'DELETE', `/clinics/${clone}`)).status).toBe(204)
  expect(await open()).toBe(404)
})

describe('as resources', () => {
  const found = async (query: string): Promise<readonly string[]> =>
    ((await clinic.server.fhir('GET', query)).body as Bundle).entry?.map(({ resource }) => resource?.id ?? '') ?? []
  test('a run that is finished is a TestReport, found by its result, its client and its plan', async () => {
    const run = await finishedRun()
    const { status, body } = await clinic.server.fhir('GET', `/TestReport/${run}`)
    const { meta: _meta, ...report } = body
    expect([status, report]).toEqual([200, (await clinic.ask('GET', `/runs/${run}.json`)).body])
    expect(await found('/TestReport?result=fail')).toContain(run)
    expect(await found('/TestReport?result=pass')).not.toContain(run)
    expect(await found('/TestReport?testscript=TestScript/looks')).toContain(run)
    expect(await found('/TestReport?participant=urn:sandbox-emr:client:Scheduler%2520%25222%2522')).toContain(run)
    expect(await found(`/TestReport?_id=${run}&_include=TestReport:testscript`)).toEqual([run, 'looks'])
  })

  test('the plan is a TestScript, with a version for each that differs', async () => {
    await finishedRun()
    const { status, body } = await clinic.server.fhir('GET', '/TestScript/looks')
    expect([status, body.version, (body as TestScript).test?.length]).toEqual([200, '1.0.0', 2])
    await finishedRun()
    expect((await clinic.server.fhir('GET', '/TestScript/looks')).body.meta.versionId).toBe(body.meta.versionId)
  })

  test('a run that is open or aborted is none', async () => {
    const run = await startRun()
    expect((await clinic.server.fhir('GET', `/TestReport/${run}`)).status).toBe(404)
    await clinic.ask('POST', `/runs/${run}/abort`)
    expect((await clinic.server.fhir('GET', `/TestReport/${run}`)).status).toBe(404)
  })

  test('they outlast a reset, a plan that is deleted meanwhile as its newest run had it, and retired', async () => {
    const run = await finishedRun()
    await clinic.ask('PUT', '/plans/looks', { ...PLAN, version: '2.0.0' })
    const later = await finishedRun()
    const before = (await clinic.ask('GET', `/runs/${run}.json`)).body
    await clinic.ask('DELETE', '/plans/looks')
    await clinic.resetTo('empty')
    const { meta: _meta, ...report } = (await clinic.server.fhir('GET', `/TestReport/${run}`)).body
    expect(report).toEqual(before)
    expect(await found('/TestReport?result=fail&_count=100')).toEqual(expect.arrayContaining([run, later]))
    const { body } = await clinic.server.fhir('GET', '/TestScript/looks')
    expect([body.version, body.status]).toEqual(['2.0.0', 'retired'])
    await clinic.ask('PUT', '/plans/looks', PLAN)
  })

  test('they outlast a reset to a snapshot that was taken before', async () => {
    expect((await clinic.ask('PUT', '/snapshots/before')).status).toBe(201)
    const run = await finishedRun()
    expect((await clinic.ask('POST', '/reset', { snapshot: 'before' })).status).toBe(200)
    expect((await clinic.server.fhir('GET', `/TestReport/${run}`)).body.result).toBe('fail')
  })
})
