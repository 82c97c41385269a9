/** Many requests, slow ones, and odd ones. */
import { connect, type Socket } from 'node:net'
import {
  type Attack,
  flood,
  type HostileCase,
  type HostileRequest,
  inParallel,
  type Target,
  times,
} from '../hostile-case.ts'

/** Opens connections and lets `use` write to each, for some seconds. The responses are not judged. */
const sockets = (count: number, seconds: number, use: (socket: Socket, n: number, target: Target) => void): Attack => ({
  kind: 'program',
  run: async (target) => {
    const { hostname, port } = new URL(target.url)
    const opened = times(count, (n) => {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      socket.resume()
      use(socket, n, target)
      return socket
    })
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    for (const socket of opened) socket.destroy()
  },
})

/** One byte after the other, ten a second. */
function drip(socket: Socket, text: string): void {
  let sent = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(text[sent++ % text.length] ?? '')
  }, 100)
  socket.once('close', () => clearInterval(timer))
}

const session = (username: string): HostileRequest => ({
  method: 'POST',
  path: '/session',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username, password: 'a wrong password' }),
  anonymous: true,
})

const get = (path: string): HostileRequest => ({ method: 'GET', path })

export const connections: readonly HostileCase[] = [
  {
    name: 'metadata-in-xml',
    about: '50 parallel /metadata?_format=xml&_pretty=true, without a token',
    stored: 'nothing',
    attack: () =>
      inParallel(
        50,
        times(50, () => ({ ...get('/metadata?_format=xml&_pretty=true'), anonymous: true })),
      ),
  },
  {
    name: 'metadata-in-every-form',
    about: '50 parallel /metadata with another combination of parameters each, without a token',
    stored: 'nothing',
    attack: () => {
      const modes = ['full', 'normative', 'terminology']
      const path = (n: number): string =>
        `/metadata?mode=${modes[n % 3]}&_format=${n % 2 === 0 ? 'xml' : 'json'}&_pretty=${n % 5 === 0}&_elements=${['rest', 'status', 'kind', 'date', 'format'][n % 5]}`
      return inParallel(
        50,
        times(50, (n) => ({ ...get(path(n)), headers: { host: `host-${n}.example` }, anonymous: true })),
      )
    },
  },
  {
    name: 'logins',
    about: '200 parallel logins with a wrong password',
    stored: 'nothing',
    attack: () =>
      inParallel(
        200,
        times(200, (n) => session(`somebody-${n}`)),
      ),
  },
  {
    name: 'slow-headers',
    about: '1,000 connections that send a header byte by byte, for 6 s',
    stored: 'nothing',
    attack: () => sockets(1_000, 6, (socket) => drip(socket, 'GET /Patient HTTP/1.1\r\nX-Slow: abcdefgh')),
  },
  {
    name: 'slow-bodies',
    about: '500 uploads of 15 MB of which a byte comes now and then, for 6 s',
    stored: 'nothing',
    attack: () =>
      sockets(500, 6, (socket, _n, { authorization }) => {
        socket.write(
          `POST /Patient HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/fhir+json\r\nContent-Length: 15000000\r\n\r\n`,
        )
        drip(socket, '{"resourceType":"Patient"')
      }),
  },
  {
    name: 'idle-connections',
    about: '3,000 connections that send nothing, for 4 s',
    stored: 'nothing',
    attack: () => sockets(3_000, 4, () => undefined),
  },
  {
    name: 'pipelined-requests',
    about: '20 connections that send 2,000 searches each without waiting for an answer',
    stored: 'records',
    attack: () =>
      sockets(20, 6, (socket, _n, { authorization }) => {
        const search = `GET /Patient?name=abe&_count=50 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
        socket.write(search.repeat(2_000))
      }),
  },
  {
    name: 'short-pipelined-requests',
    about:
      '20 connections that send 4,000 of the shortest requests each without waiting for an answer, without a token',
    stored: 'nothing',
    attack: () =>
      sockets(20, 6, (socket) => {
        socket.write('GET /Patient HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4_000))
      }),
  },
  {
    name: 'broken-off-searches',
    about: 'searches whose client leaves at once, 200 in a second',
    stored: 'records',
    attack: () =>
      sockets(200, 3, (socket, _n, { authorization }) => {
        const path = '/Observation?subject:Patient.name:contains=am&_total=accurate&_sort=-date'
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`, () =>
          setTimeout(() => socket.destroy(), 50),
        )
      }),
  },
  {
    name: 'long-addresses',
    about: 'addresses of 15,000 characters by 32 connections, for 3 s',
    stored: 'nothing',
    attack: () =>
      flood(
        32,
        3,
        times(8, (n) => get(`/Patient?${times(60, (i) => `_id=${`${n}${i}`.padEnd(240, 'x')}`).join('&')}`)),
      ),
  },
  {
    name: 'odd-methods',
    about: 'OPTIONS, TRACE, unknown methods and paths by 32 connections, for 3 s',
    stored: 'nothing',
    attack: () =>
      flood(32, 3, [
        { method: 'OPTIONS', path: '/Patient' },
        { method: 'TRACE', path: '/Patient/1' },
        { method: 'PURGE', path: '/Patient' },
        get('/Pa%74ient/../metadata/%00'),
        { ...get('/Patient'), anonymous: true },
        { ...get('/Patient'), headers: { authorization: `Bearer ${'x'.repeat(6_000)}` }, anonymous: true },
      ]),
  },
  {
    name: 'reads-by-256-connections',
    about: '256 connections read a Patient for 3 s',
    stored: 'records',
    attack: () => flood(256, 3, [get('/Patient/patient-1')]),
  },
]
