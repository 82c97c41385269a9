/** Work in the background: exports, imports and deferred requests, begun and cancelled again and again. */
import { logIn } from '../../emr.ts'
import { type Attack, type HostileCase, type HostileRequest, send, type Target, times } from '../hostile-case.ts'
import { HOSTILE_ADMIN } from '../hostile-clinic.ts'

const SECONDS = 8
const MEBIBYTE = 1024 * 1024
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const deferred = (path: string): HostileRequest => ({ method: 'GET', path, headers: { prefer: 'respond-async' } })

/** The jobs of the clinic are cancelled, or their results deleted. */
async function cancelAll({ send: ask }: Target): Promise<void> {
  const text = (await ask({ method: 'GET', path: '/jobs' }))?.text ?? ''
  for (const [, id] of text.matchAll(/"id":\s*"([\w-]+)"/g)) await ask({ method: 'DELETE', path: `/jobs/${id}` })
}

/** Begins jobs, and cancels them a moment later, for some seconds. */
const againAndAgain = (requests: readonly HostileRequest[], parallel: number, between: number): Attack => ({
  kind: 'program',
  run: async (target) => {
    const until = performance.now() + SECONDS * 1_000
    const keepOn = async (connection: number): Promise<void> => {
      for (let n = connection; performance.now() < until && !target.signal.aborted; n += parallel) {
        const request = requests[n % requests.length]
        if (request !== undefined) await target.send(request)
        await pause(between)
        if (connection === 0) await cancelAll(target)
      }
    }
    await Promise.all(times(parallel, keepOn))
    await cancelAll(target)
  },
})

/** Lines of every kind that is refused, and some that are no JSON. */
const LINES: readonly string[] = [
  '{"resourceType":"Patient","gender":"none"}',
  '{"resourceType":"Observation","id":"refused","status":"final"}',
  '{"resourceType":"Encounter","id":"lost","status":"planned","class":{"code":"AMB"},"subject":{"reference":"Patient/nobody"}}',
  '{"resourceType":"Nothing"}',
  '{"resourceType":"Patient","name":[{"family":',
  `{"resourceType":"Patient","name":[${times(40, () => '{"famille":"wrong"}').join(',')}]}`,
]

const refusedFile = (bytes: number): Buffer => {
  const some = `${LINES.join('\n')}\n`
  return Buffer.from(some.repeat(Math.floor(bytes / some.length)))
}

const importOf = (file: string): object => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'inputFormat', valueString: 'application/fhir+ndjson' },
    { name: 'input', part: [{ name: 'url', valueUri: `Binary/${file}` }] },
  ],
})

const importOfRefusedLines = (file: Buffer): Attack => ({
  kind: 'program',
  run: async (target) => {
    const authorization = await logIn(target.url, HOSTILE_ADMIN)
    const as = (request: HostileRequest): HostileRequest => ({
      ...request,
      headers: { ...request.headers, authorization },
    })
    const uploaded = await target.send(
      as({ method: 'POST', path: '/Binary', headers: { 'content-type': 'application/fhir+ndjson' }, body: file }),
    )
    const id = /"id":\s*"([\w-]+)"/.exec(uploaded?.text ?? '')?.[1] ?? ''
    const begun = send('POST', '/$import', importOf(id))
    await target.send(as({ ...begun, headers: { ...begun.headers, prefer: 'respond-async' } }))
    for (const until = performance.now() + SECONDS * 1_000; performance.now() < until && !target.signal.aborted; ) {
      await target.send(as({ method: 'GET', path: '/jobs' }))
      await pause(200)
    }
  },
})

const SEARCHES = [
  '/Observation?subject:Patient.name:contains=am&_sort=-date,code,status&_count=1000&_total=accurate',
  '/Observation?subject:Patient._has:Observation:subject:code=85354-9&_total=accurate',
  '/Patient?_revinclude:iterate=*&_include:iterate=*&_count=1000',
] as const

export const jobs: readonly HostileCase[] = [
  {
    name: 'exports-and-cancels',
    about: '$export of everything is begun and cancelled again and again, 4 connections for 8 s',
    stored: 'records',
    attack: () => againAndAgain([deferred('/$export'), deferred('/Patient/$export')], 4, 100),
  },
  {
    name: 'export-of-everything',
    about: '$export of everything runs through while 8 connections ask for others, and for its state, for 8 s',
    stored: 'records',
    attack: () => ({
      kind: 'requests',
      requests: [deferred('/$export'), { method: 'GET', path: '/jobs' }],
      parallel: 8,
      seconds: SECONDS,
    }),
  },
  {
    name: 'import-of-refused-lines',
    about: '$import of a file of 14 MB whose lines are all refused, and its state, for 8 s',
    stored: 'nothing',
    attack: () => importOfRefusedLines(refusedFile(14 * MEBIBYTE)),
  },
  {
    name: 'deferred-searches',
    about:
      'searches by chains, _has and iterated includes with Prefer: respond-async, 8 connections for 8 s, and cancels',
    stored: 'records',
    attack: () => againAndAgain(SEARCHES.map(deferred), 8, 50),
  },
]
