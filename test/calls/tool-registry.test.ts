/** The table of tools: documented in full, and checked at start. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { toolFamilies } from '../../src/calls/families.ts'
import { defineTool, mergeFamilies, registerTools, type ToolFamilies, toolOperations } from '../../src/calls/tool.ts'
import { escalateBilling } from '../../src/calls/tools/billing.ts'
import { submitIntake } from '../../src/calls/tools/registration.ts'
import type { Operation } from '../../src/core/operation.ts'
import { defineProvider } from '../../src/core/provider.ts'

const DOCS = join(import.meta.dirname, '../../docs')

const tools = Object.entries(toolFamilies).flatMap(([family, byName]) =>
  Object.entries(byName).map(([name, { operation }]) => ({ family, name, operation })),
)

describe('the documentation', () => {
  const page = readFileSync(join(DOCS, 'live-calls.md'), 'utf8')

  test.each(tools)('lists $family/$name, with a link to its page', ({ family, name, operation }) => {
    expect(page).toMatch(
      new RegExp(`^\\| \\[\`${name}\`\\]\\(tools/${operation.code}\\.md\\) \\| \`/${family}\` \\|`, 'm'),
    )
  })

  test.each(tools)('has a page that shows how $family/$name is called', ({ family, name, operation }) => {
    const text = readFileSync(join(DOCS, `tools/${operation.code}.md`), 'utf8')
    expect(text).toContain(`# ${name}\n`)
    expect(text).toContain(`curl -s $BASE/${family}/${name} `)
  })

  test('has no page and no row of a tool that is not served', () => {
    expect(readdirSync(join(DOCS, 'tools')).sort()).toEqual(tools.map(({ operation }) => `${operation.code}.md`).sort())
    expect(page.match(/^\| \[`\w+`\]\(tools\//gm)).toHaveLength(tools.length)
  })
})

describe('a table with a fault stops the start with a sentence that names it', () => {
  const start = (families: ToolFamilies, operations: readonly Operation[] = [escalateBilling]) =>
    registerTools(
      families,
      new Map([['Patient', defineProvider('Patient', { interactions: {}, operations })]]),
      new Set(['calls', 'mcp/fhir']),
    )
  const family = { escalate_billing: defineTool(escalateBilling) }
  const onInstances = { ...escalateBilling, definition: { ...escalateBilling.definition, type: false } }

  test.each<[string, ToolFamilies, string]>([
    [
      'a family named like a resource type',
      { Patient: family },
      'Tool family Patient: /Patient is the address of a resource type',
    ],
    ['a family named like other routes', { calls: family }, 'Tool family calls: /calls is the address of other routes'],
    ['a family that FHIR has by MCP', { fhir: family }, 'Tool family fhir: /mcp/fhir is the address of other routes'],
    ['a family whose name has a slash', { 'a/b': family }, "Tool family 'a/b': a name is a path segment"],
    ['a family without a name', { '': family }, "Tool family '': a name is a path segment"],
    [
      'a tool whose name has a space',
      { a: { 'b c': defineTool(escalateBilling) } },
      'Tool a/b c: a name is a path segment',
    ],
    [
      'an operation of no provider',
      { a: { b: defineTool(submitIntake) } },
      'Tool a/b: no provider declares its operation patient-submit-intake',
    ],
  ])('%s', (_fault, families, sentence) => {
    expect(() => start(families)).toThrow(sentence)
  })

  test('a name that stands for two operations', () => {
    const families = { a: { b: defineTool(escalateBilling) }, c: { b: defineTool(submitIntake) } }
    const sentence = 'Tool c/b: a/b is another operation; give one of them another name'
    expect(() => start(families, [escalateBilling, submitIntake])).toThrow(sentence)
    expect(() => mergeFamilies({ a: families.a }, { c: families.c })).toThrow(sentence)
  })

  test('an operation that is called on instances only', () => {
    expect(() => start({ a: { b: defineTool(onInstances) } }, [onInstances])).toThrow(
      'Tool a/b: its operation patient-escalate-billing cannot be called on a type',
    )
  })

  test('a tool that is in two tables', () => {
    expect(() => mergeFamilies({ a: family }, { a: family })).toThrow('Tool a/escalate_billing is defined twice')
  })
})

test('a family of two tables has the tools of both', () => {
  const merged = mergeFamilies(
    { a: { one: defineTool(escalateBilling) } },
    { a: { two: defineTool(submitIntake) }, b: {} },
  )
  expect(Object.entries(merged).map(([name, family]) => [name, Object.keys(family)])).toEqual([
    ['a', ['one', 'two']],
    ['b', []],
  ])
})

test('a type has the operation of a tool once, in however many families the tool is', () => {
  const twice = { a: { one: defineTool(escalateBilling) }, b: { two: defineTool(escalateBilling) } }
  expect(toolOperations(twice, 'Patient')).toEqual([escalateBilling])
  expect(toolOperations(twice, 'Appointment')).toEqual([])
})
