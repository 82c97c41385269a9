/** Requests with large responses. */
import { connect, type Socket } from 'node:net'
import { flood, gets, type HostileCase, inParallel, type Target, times } from '../hostile-case.ts'
import { LONG_LIST, MANY_NAMES, ONE_PATIENT, VERSIONED } from '../stored/records.ts'

const parallelGets = (parallel: number, count: number, path: (n: number) => string) =>
  inParallel(
    parallel,
    times(count, (n) => ({ method: 'GET', path: path(n) })),
  )

const NEXT = /"relation":"next","url":"https?:\/\/[^/]+([^"]+)"/

/** Follows the next links of so many searches at the same time. */
const followNext = (clients: number, path: string) => ({
  kind: 'program' as const,
  run: async ({ send, signal }: Target): Promise<void> => {
    const follow = async (): Promise<void> => {
      for (let next: string | undefined = path; next !== undefined && !signal.aborted; ) {
        const answer = await send({ method: 'GET', path: next })
        next = NEXT.exec(answer?.text ?? '')?.[1]
      }
    }
    await Promise.all(times(clients, follow))
  },
})

const LARGE_PAGE = '/Observation?_count=1000'

export const pages: readonly HostileCase[] = [
  {
    name: 'pages-in-xml',
    about: '20 parallel pages of 1,000 Observations in XML, pretty',
    stored: 'records',
    attack: () => parallelGets(20, 20, () => `${LARGE_PAGE}&_format=xml&_pretty=true`),
  },
  {
    name: 'pages-of-elements',
    about: '40 parallel pages of 1,000 Observations with _elements, _summary or _pretty',
    stored: 'records',
    attack: () =>
      parallelGets(
        40,
        40,
        (n) =>
          `${LARGE_PAGE}&${['_elements=code,component', '_summary=true', '_summary=text', '_pretty=true'][n % 4] ?? ''}`,
      ),
  },
  {
    name: 'includes-of-includes',
    about: '_include:iterate and _revinclude of everything for pages of 1,000',
    stored: 'records',
    attack: () =>
      gets(
        `${LARGE_PAGE}&_include=*&_include:iterate=*&_revinclude=*&_revinclude:iterate=*`,
        '/Practitioner?_count=1000&_revinclude=*&_revinclude:iterate=*&_include:iterate=*',
        '/Patient?_count=1000&_revinclude=Observation:subject&_revinclude:iterate=Encounter:subject&_include:iterate=*',
      ),
  },
  {
    name: 'cursors-of-16-clients',
    about: '16 clients follow the next links of all 30,000 Observations',
    stored: 'records',
    attack: () => followNext(16, `${LARGE_PAGE}&_sort=-date`),
  },
  {
    name: 'everything-of-one',
    about: '4 × Patient/$everything with 20,000 Observations, all pages',
    stored: 'records',
    attack: () => followNext(4, `/Patient/${ONE_PATIENT}/$everything`),
  },
  {
    name: 'everything-of-all',
    about: 'Patient/$everything of the clinic, in XML',
    stored: 'records',
    attack: () => parallelGets(8, 8, () => '/Patient/$everything?_format=xml&_pretty=true'),
  },
  {
    name: 'history-of-20000-versions',
    about: 'pages of 1,000 of the history of a Patient with 20,000 versions, 8 clients; in XML',
    stored: 'versions',
    attack: () =>
      parallelGets(
        8,
        24,
        (n) =>
          `${n % 2 === 0 ? `/Patient/${VERSIONED.id}` : ''}/_history?_count=1000${n % 3 === 0 ? '&_format=xml' : ''}`,
      ),
  },
  {
    name: 'history-at-a-time',
    about: '_history with _since and _at over 20,000 versions, 16 connections for 3 s',
    stored: 'versions',
    attack: () =>
      flood(16, 3, [
        { method: 'GET', path: '/_history?_since=2020-01-01&_count=1' },
        { method: 'GET', path: `/Patient/${VERSIONED.id}/_history?_at=2026-01-01&_count=1` },
        { method: 'GET', path: '/Patient/_history?_at=2020-01-01' },
      ]),
  },
  {
    name: 'histories-of-a-long-list',
    about: '_history?_list= of 9,999 versions and all 20,000 of a Patient, 16 connections for 3 s',
    stored: 'versions',
    attack: () =>
      flood(16, 3, [
        { method: 'GET', path: `/_history?_list=${LONG_LIST}&_count=1` },
        { method: 'GET', path: `/Patient/_history?_list=${LONG_LIST}&_at=2020-01-01` },
      ]),
  },
  {
    name: 'reads-of-many-names',
    about: '40 parallel reads of a Patient with 40,000 names: XML, _summary, _elements, $meta',
    stored: 'many names',
    attack: () =>
      parallelGets(40, 40, (n) => {
        const how = ['?_format=xml&_pretty=true', '?_summary=true', '?_elements=name', '/$meta'][n % 4] ?? ''
        return `/Patient/names-${MANY_NAMES.most}${how}`
      }),
  },
  {
    name: 'slow-readers',
    about: '100 connections ask for pages of 1,000 and do not read the answer',
    stored: 'records',
    attack: () => ({
      kind: 'program',
      run: async ({ url, authorization, signal }) => {
        const { hostname, port } = new URL(url)
        const request = `GET ${LARGE_PAGE} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
        const sockets = times(100, (): Socket => {
          const socket = connect({ host: hostname, port: Number(port), signal })
          socket.on('error', () => undefined)
          socket.pause()
          socket.write(request.repeat(5))
          return socket
        })
        await new Promise((resolve) => setTimeout(resolve, 6_000))
        for (const socket of sockets) socket.destroy()
      },
    }),
  },
]
