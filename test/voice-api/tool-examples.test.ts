/** resources/tool-examples.json: each example is a tool call as the demo clinic answers it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { describeTools, toolExamples } from '../../src/voice-api/tool-descriptions.ts'
import { problemsOf } from '../support/json-schema.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

const tools = describeTools(toolFamilies)

let server: TestServer
/** The messaging service of the clinic, which the demo clinic has none of. */
let receiver: Receiver
beforeAll(async () => {
  server = await startServer()
  receiver = await startReceiver()
  const { body } = await server.fhir('GET', '/clinics/demo-clinic/settings')
  const messages = { enabled: true, url: receiver.url, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
  expect((await server.fhir('PUT', '/clinics/demo-clinic/settings', { ...body, messages })).status).toBe(200)
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})

test('every tool has an example, and no other tool has one', () => {
  expect([...toolExamples.keys()].sort()).toEqual(tools.map(({ name }) => name).sort())
})

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'the example of %s conforms to its schemas',
  (_name, tool) => {
    expect(problemsOf(tool.parameters, tool.example?.arguments)).toEqual([])
    expect(problemsOf(tool.result, tool.example?.result)).toEqual([])
    expect(tool.result.examples).toEqual([tool.example?.result])
  },
)

/** Words that differ from day to day: those of a date or a time. */
const VOLATILE = ['start', 'label', 'callbackAt', 'expiresAt', 'more']
const DATES = /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day.*/

/** A result in which all that differs from call to call is left out; of a list the first item stands for all. */
function lasting(value: unknown, name = ''): unknown {
  if (name.endsWith('Key') || VOLATILE.includes(name)) return typeof value
  if (typeof value === 'string' && name === 'say') return value.replace(DATES, '')
  if (Array.isArray(value)) return typeof value[0] === 'object' ? [lasting(value[0])] : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, lasting(its, member)]))
}

/** The keys that a result gives, in the order of their places. */
const keysIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"\w+Key":"(\w+)"/g)].map(([, key = '']) => key)

async function beginCall(family: string): Promise<string> {
  const callId = `example-${family}`
  const json = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
  const isRecovery = family === 'abandonment-recovery'
  const left = {
    kind: 'form',
    stepReached: 'contact details',
    fields: { firstName: 'Wendell', email: null, preferredDay: null },
    contact: { phone: '+12125550188' },
    consent: true,
  }
  const entered = isRecovery ? await request(server.url, 'POST', '/abandonments', left, json) : undefined
  const abandonment = entered && { abandonment: entered.body.id }
  const call = { callId, dialedNumber: '+12125550100', ...abandonment }
  expect((await request(server.url, 'POST', '/calls', call, json)).status).toBe(201)
  return callId
}

describe('the examples of a family, one after the other in a call,', () => {
  test.each(Object.entries(toolFamilies))('of %s get the results that they have', async (family, ofFamily) => {
    const callId = await beginCall(family)
    const actualKeys = new Map<string, string>()
    for (const [name, example] of toolExamples) {
      if (!Object.hasOwn(ofFamily, name)) continue
      const args = JSON.stringify(example.arguments).replace(/(?<=Key":")\w+/g, (key) => actualKeys.get(key) ?? key)
      const actual = await server.tool(`/${family}/${name}`, JSON.parse(args), { 'x-call-id': callId })
      expect([name, lasting(actual)]).toEqual([name, lasting(example.result)])
      const given = keysIn(actual)
      for (const [index, key] of keysIn(example.result).entries()) actualKeys.set(key, given[index] ?? '')
    }
  })
})
