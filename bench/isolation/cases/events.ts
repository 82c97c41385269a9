/** Many Subscriptions, expensive ones, and websockets. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { type Attack, type HostileCase, send, type Target, times } from '../hostile-case.ts'

const SECONDS = 5
/** The most of a clinic. */
const SUBSCRIPTIONS = 1_000
/** Entries of one Bundle of the preparation. */
const AT_ONCE = 100

type Channel = Readonly<{ type: string; endpoint?: string }>

const subscription = (n: number, criteria: string, channel: Channel) => ({
  ...{ resourceType: 'Subscription', id: `listening-${n}`, status: 'requested', reason: 'to be told of everything' },
  ...{ criteria, channel },
})

async function subscribe(target: Target, count: number, criteria: (n: number) => string, channel: Channel) {
  for (let first = 0; first < count && !target.signal.aborted; first += AT_ONCE) {
    const entry = times(Math.min(AT_ONCE, count - first), (n) => {
      const resource = subscription(first + n, criteria(first + n), channel)
      return { resource, request: { method: 'PUT', url: `Subscription/${resource.id}` } }
    })
    await target.send(send('POST', '/', { resourceType: 'Bundle', type: 'batch', entry }))
  }
  await becomeActive(target)
}

async function becomeActive({ send: ask, signal }: Target): Promise<void> {
  const path = '/Subscription?status=requested&_summary=count'
  while (!signal.aborted) {
    const text = (await ask({ method: 'GET', path }))?.text ?? ''
    if (/"total":\s*0\b/.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Creates by so many connections for some seconds. */
async function create(target: Target, parallel: number, resource: object): Promise<void> {
  const until = performance.now() + SECONDS * 1_000
  const keepCreating = async (): Promise<void> => {
    while (performance.now() < until && !target.signal.aborted) await target.send(send('POST', '/Patient', resource))
  }
  await Promise.all(times(parallel, keepCreating))
}

const PATIENT = { resourceType: 'Patient', name: [{ family: 'Watched' }], gender: 'female' }
/** Compared with each value of each of the criteria. */
const MANY_NAMES = { resourceType: 'Patient', name: times(200, (n) => ({ family: `Name ${n} of many`.repeat(4) })) }

const toldToReceiver = (status: number): Attack => ({
  kind: 'program',
  run: async (target) => {
    const receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`
    try {
      await subscribe(target, SUBSCRIPTIONS, () => 'Patient', { type: 'rest-hook', endpoint })
      await create(target, 8, PATIENT)
    } finally {
      receiver.closeAllConnections()
      receiver.close()
    }
  },
})

const comparedWithMany: Attack = {
  kind: 'program',
  run: (target) => create(target, 8, MANY_NAMES),
}

/** A connection that says something every few milliseconds, as long as it is open. */
function talk({ url, authorization, signal }: Target, say: (n: number) => string): WebSocket {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`, { headers: { authorization } })
  let said = 0
  const timer = setInterval(() => {
    if (socket.readyState === WebSocket.OPEN) socket.send(say(said++))
  }, 20)
  socket.on('error', () => undefined)
  socket.once('close', () => clearInterval(timer))
  signal.addEventListener('abort', () => socket.terminate(), { once: true })
  return socket
}

/** Connections beyond the limit are opened anew as soon as they are ended. */
function keepOpen(target: Target, say: (n: number) => string, until: number): void {
  const socket = talk(target, say)
  socket.once('close', () => {
    if (performance.now() < until && !target.signal.aborted) setTimeout(() => keepOpen(target, say, until), 50)
  })
  setTimeout(() => socket.terminate(), Math.max(0, until - performance.now()))
}

const boundByMany: Attack = {
  kind: 'program',
  run: async (target) => {
    await subscribe(target, 20, () => 'Patient', { type: 'websocket' })
    const until = performance.now() + (SECONDS + 1) * 1_000
    for (let n = 0; n < 200; n++) keepOpen(target, (said) => `bind listening-${said % 20}`, until)
    await create(target, 8, PATIENT)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())))
  },
}

/** A token is for one use, so each is a new one. */
const manyBindingTokens: Attack = {
  kind: 'program',
  run: async (target) => {
    await subscribe(target, 20, () => 'Patient', { type: 'websocket' })
    const until = performance.now() + SECONDS * 1_000
    const path = `/Subscription/$get-ws-binding-token?${times(20, (n) => `id=listening-${n}`).join('&')}`
    const keepAsking = async (): Promise<void> => {
      while (performance.now() < until && !target.signal.aborted) await target.send({ method: 'GET', path })
    }
    for (let n = 0; n < 50; n++) keepOpen(target, () => `bind-with-token ${'a'.repeat(32)}`, until)
    await Promise.all(times(16, keepAsking))
  },
}

export const events: readonly HostileCase[] = [
  {
    name: 'events-of-1000-subscriptions',
    about: '1,000 Subscriptions, which are told of each Patient that 8 connections create for 5 s',
    stored: 'nothing',
    attack: () => toldToReceiver(204),
  },
  {
    name: 'events-nobody-takes',
    about: '1,000 Subscriptions whose receiver responds with 503 to each Patient that 8 connections create for 5 s',
    stored: 'nothing',
    attack: () => toldToReceiver(503),
  },
  {
    name: 'criteria-of-1000-subscriptions',
    about:
      '1,000 Subscriptions with 96 conditions each, compared with each Patient of 200 names that 8 connections create',
    stored: 'expensive subscriptions',
    attack: () => comparedWithMany,
  },
  {
    name: 'many-websockets',
    about:
      '200 websockets, 50 of which the clinic may have, bind 20 Subscriptions 50 times a second while Patients are created',
    stored: 'nothing',
    attack: () => boundByMany,
  },
  {
    name: 'binding-tokens',
    about: '16 connections ask for binding tokens, and 50 websockets say wrong ones 50 times a second, for 5 s',
    stored: 'nothing',
    attack: () => manyBindingTokens,
  },
]
