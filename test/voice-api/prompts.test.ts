/** GET /tools?format=prompt: a system prompt for an agent that has the tools. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { INSURANCE_STATUSES } from '../../src/core/ports.ts'
import { describeTools, type JsonSchema } from '../../src/voice-api/tool-descriptions.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const joined = (pattern: string): string => globSync(pattern, { cwd: ROOT }).map(textOf).join('\n')

const tools = describeTools(toolFamilies)

/** Names of tools, of their arguments and of the members of their results, with the values that an argument may have. */
const names = new Set(
  tools.flatMap(({ name, parameters, result }) => [name, ...namesIn(parameters), ...namesIn(result)]),
)

function namesIn({ properties = {}, items, enum: values = [] }: JsonSchema): readonly string[] {
  const members = Object.entries(properties).flatMap(([name, schema]) => [name, ...namesIn(schema)])
  return [...members, ...(items === undefined ? [] : namesIn(items)), ...values]
}

const sources = joined('src/{calls,booking}/**/*.ts')
const documented = joined('docs/tools/*.md')

/** A code that the sources write out, or that the page of a tool lists, as it is put together. */
const isCode = (word: string): boolean =>
  sources.includes(`'${word}'`) ||
  new RegExp(`\\b${word}: '`).test(sources) ||
  documented.includes(`\`${word}\``) ||
  INSURANCE_STATUSES.some((status) => status.toLowerCase().replaceAll('_', '-') === word)

/** The words in backquotes; those before the first bar of a row of a table are codes. */
const quotedIn = (text: string): readonly string[] => [...text.matchAll(/`(\w[\w-]*)`/g)].map(([, word = '']) => word)
const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) => quotedIn(cell)).filter((word) => word !== 'code')

describe.each(['every_call', ...Object.keys(toolFamilies)])('resources/prompts/%s.md', (name) => {
  const text = textOf(`resources/prompts/${name}.md`)

  test('names codes that there are', () => {
    expect(codesIn(text).length).toBeGreaterThan(3)
    expect(codesIn(text).filter((code) => !isCode(code))).toEqual([])
  })

  test('names tools, arguments and members of results that there are', () => {
    const codes = new Set(codesIn(text))
    const others = quotedIn(text).filter((word) => !codes.has(word) && !names.has(word) && !isCode(word))
    expect(others).toEqual([])
  })
})

test.each(Object.entries(toolFamilies))('the prompt of %s names each of its tools', (family, ofFamily) => {
  const named = new Set(quotedIn(textOf(`resources/prompts/${family}.md`)))
  expect(Object.keys(ofFamily).filter((tool) => !named.has(tool))).toEqual([])
})

describe('GET /tools?format=prompt', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('is Markdown: the rules of every call, and a part for each family', async () => {
    const { status, headers, text } = await request(server.url, 'GET', '/tools?format=prompt')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    const parts = ['every_call', ...Object.keys(toolFamilies)].map((name) => textOf(`resources/prompts/${name}.md`))
    expect(text).toBe(parts.join('\n'))
  })

  test('with a family has the part of that family only', async () => {
    const { text } = await request(server.url, 'GET', '/tools?format=prompt&family=patient-intake')
    expect(text).toContain('`submit_intake`')
    expect(text).toContain('`missing-argument`')
    expect(text).not.toContain('`book_appointment`')
  })
})
