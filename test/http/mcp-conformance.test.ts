/**
 * The conformance suite of the Model Context Protocol (https://github.com/modelcontextprotocol/conformance), as it is run for
 * any server. Some of its checks are of tools and resources that only a server made for it has; they are listed with the reason.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addHeaders } from '../support/header-proxy.ts'
import { newFolder } from '../support/run.ts'
import { startServer, type TestServer } from '../support/server.ts'

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** The revisions for which the suite says what a server must pass. */
const REVISIONS = ['2025-11-25', '2026-07-28'] as const

interface Exception {
  readonly reason: string
  readonly path?: '/mcp' | '/mcp/fhir'
  readonly checks: readonly string[]
}

/** Checks that a server cannot pass without declaring what it does not have. */
const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'no prompts are declared',
    checks: [
      'prompts-list',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
      'sep-2549-prompts-list-caching-hints',
      'sep-2322-non-tool-incomplete',
    ],
  },
  { reason: 'no completions are declared', checks: ['completion-complete'] },
  { reason: 'no log messages are declared', checks: ['logging-set-level', 'tools-call-with-logging'] },
  { reason: 'no subscriptions are declared', checks: ['resources-subscribe', 'resources-unsubscribe'] },
  {
    reason: 'no sessions and no streams are declared',
    checks: ['server-sse-multiple-streams-session', 'server-sse-polling-session'],
  },
  {
    reason: 'no resources are declared',
    path: '/mcp',
    checks: [
      'resources-list',
      'sep-2549-resources-list-caching-hints',
      'sep-2549-resources-templates-list-caching-hints',
      'sep-2164-error-code',
      'sep-2164-data-uri',
    ],
  },
  {
    reason: "the check reads a resource of the suite's own server, test://…",
    checks: ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  },
  {
    reason: "the check calls a tool of the suite's own server, whose result is no text",
    checks: ['tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content'],
  },
  {
    reason: "the check calls a tool of the suite's own server, which tells its progress",
    checks: ['tools-call-with-progress'],
  },
  {
    reason: "the check calls a tool of the suite's own server, which asks something of the client",
    checks: [
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-general',
      'elicitation-sep1330-general',
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2322-elicitation-incomplete',
      'sep-2322-list-roots-incomplete',
      'sep-2322-sampling-incomplete',
      'sep-2322-respect-client-capabilities',
      'sep-2322-missing-response-rerequests',
      'sep-2322-multi-round-r1',
      'sep-2322-multiple-inputs-incomplete',
      'sep-2322-request-state-incomplete',
      'sep-2322-result-type-included',
      'sep-2322-reject-tampered-state',
      'sep-2322-validate-input-responses',
      'sep-2322-error-on-protocol-error',
    ],
  },
  {
    reason: "the check looks for a tool of the suite's own server in the list, by its schema or its header",
    checks: [
      'json-schema-2020-12-tool-found',
      'sep-2243-server-no-xmcp-tool',
      'sep-2243-server-decode-base64',
      'sep-2243-server-validate-param-match',
      'sep-2243-server-reject-invalid-param-chars',
      'sep-2243-server-reject-param-mismatch',
    ],
  },
]

/** Scenarios of an extension of the protocol, which no server needs. */
const OF_EXTENSION = /^server-tasks-/

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'INFO' | 'SKIPPED' | 'WARNING' | 'FAILURE'
}

/** The checks that the suite makes of the server at the address. */
async function checksOf(url: string, revision: string): Promise<readonly Check[]> {
  const folder = newFolder()
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--output-dir', folder]
  // It ends with 1 where a check fails.
  await new Promise((resolve) =>
    execFile(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } }, resolve),
  )
  const scenarios = readdirSync(folder).filter((name) => !OF_EXTENSION.test(name))
  expect(scenarios.length).toBeGreaterThan(30)
  return scenarios.flatMap((name) => JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')))
}

const sorted = (ids: Iterable<string>): readonly string[] => [...new Set(ids)].sort()

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe.each(['/mcp', '/mcp/fhir'] as const)('%s', (path) => {
  const exceptions = EXCEPTIONS.filter((one) => (one.path ?? path) === path).flatMap(({ checks }) => checks)
  const made = new Map<string, readonly Check[]>()

  beforeAll(async () => {
    const headers = path === '/mcp' ? { 'x-voice-secret': 'demo-secret' } : { authorization: `Bearer ${server.token}` }
    const proxy = await addHeaders(server.url, headers)
    for (const revision of REVISIONS) made.set(revision, await checksOf(`${proxy.url}${path}`, revision))
    await proxy.close()
  })

  test.each(REVISIONS)('passes the checks of the revision %s, but for the exceptions', (revision) => {
    const checks = made.get(revision) ?? []
    const ids = new Set(checks.map(({ id }) => id))
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id }) => id)
    expect(sorted(failed)).toEqual(sorted(exceptions.filter((id) => ids.has(id))))
  })

  test('has no exception for a check that the suite does not make', () => {
    const ids = new Set([...made.values()].flat().map(({ id }) => id))
    expect(exceptions.filter((id) => !ids.has(id))).toEqual([])
  })
})
