/** The page docs/faults.md has the catalogue as it is, and a curl for each fault. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { CATALOGUE, type Fault, type Parameter } from '../../../src/rehearsal/faults/catalogue.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/faults.md'), 'utf8')

const rangeOf = (parameter: Parameter): string =>
  parameter.type === 'integer' ? `${parameter.least} to ${parameter.most}` : parameter.values.join(' or ')

const rowOf = ({ name, what, parameters, of, isTrue }: Fault): string => {
  const given = Object.entries(parameters).map(([key, one]) => `\`${key}\` (${rangeOf(one)}; ${one.default})`)
  return `| \`${name}\` | ${what} | ${given.join(', ')} | ${of} | ${isTrue ? 'yes' : ''} |`
}

test('the table is that of the catalogue', () => {
  const rows = page.split('\n').filter((line) => /^\| `[a-z0-9-]+` \|.*\| (fhir|tools|both) \|/.test(line))
  expect(rows).toEqual([...CATALOGUE.values()].map(rowOf))
})

test('each fault has a command', () => {
  const commands = [...page.matchAll(/^```bash\n(.*?)^```/gms)].map(([, block]) => block).join('\n')
  const missing = [...CATALOGUE.keys()].filter((name) => !new RegExp(`(: |\\s'?)${name}(['; ]|\\n|$)`).test(commands))
  expect(missing).toEqual([])
})
