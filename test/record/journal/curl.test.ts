/** The command that repeats an exchange is nothing but a call of curl, whatever the request held. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import type { ExchangeDetail, ExchangeSummary } from '../../../src/record/journal/exchange.ts'
import { curlOf } from '../../../src/record/journal/replay.ts'
import { REMOVED } from '../../../src/record/journal/secrets.ts'

/** The arguments with which a shell calls curl. */
async function argumentsOf(headers: Record<string, string>, address = '/Patient', text?: string) {
  const summary = { direction: 'in', method: text === undefined ? 'GET' : 'POST', address } as ExchangeSummary
  const request = { headers, ...(text === undefined ? {} : { body: { text, size: text.length } }) }
  const command = curlOf(summary, { request } as unknown as ExchangeDetail) ?? ''
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { BASE: 'http://here', TOKEN: 't' } })
  return stdout.split('\0').slice(0, -1)
}

const HOSTILE = ['`id`', '$(id)', '$HOME', '"; id; "', "'; id; '", '\\', '!!', '&& id', '| id', '> /tmp/x', '#', '*']

describe('a command holds each text as one word, as it was', () => {
  test.each(HOSTILE)('in the value of a header: %s', async (text) => {
    expect(await argumentsOf({ 'x-a': text })).toEqual(['-s', 'http://here/Patient', '-H', `x-a: ${text}`])
  })

  test.each(['x`id`', 'x$home', "x'id'", 'x&id', 'x|id', 'x!!', 'x#', 'x*', 'x^id', 'x~'])(
    'in the name of a header whose value is secret: %s',
    async (name) => {
      expect(await argumentsOf({ [name]: REMOVED })).toEqual(['-s', 'http://here/Patient', '-H', `${name}: `])
    },
  )

  test.each(HOSTILE)('in the address and the body: %s', async (text) => {
    const [, address, , type, , body] = await argumentsOf({ 'content-type': 'a/b' }, `/Patient?name=${text}`, text)
    expect([address, type, body]).toEqual([`http://here/Patient?name=${text}`, 'content-type: a/b', text])
  })
})

test('a trace is not named again, as the repeat begins one of its own', async () => {
  const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=1' }
  expect(await argumentsOf(headers)).toEqual(['-s', 'http://here/Patient'])
})

test('a secret is a variable', async () => {
  expect(await argumentsOf({ authorization: REMOVED })).toContain('authorization: Bearer t')
})
