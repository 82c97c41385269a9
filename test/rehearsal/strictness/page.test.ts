/** The page docs/strictness.md has the rules and changes of the built-in profiles as they are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Citation, Profile } from '../../../src/rehearsal/strictness/profile.ts'
import { StrictnessProfiles } from '../../../src/rehearsal/strictness/profiles.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/strictness.md'), 'utf8')

/** A text in a cell of a table, on one line. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()

const said = ({ quote, address, date, kind }: Citation): string => `"${cell(quote)}" ([${date}](${address}), ${kind})`

const tableOf = ({ title, disclaimer, rules, changes = [] }: Profile): readonly string[] => [
  `${title}. ${disclaimer}`,
  '',
  '| rule | right is | otherwise | source |',
  '|---|---|---|---|',
  ...rules.map(
    ({ id, title: right, answer, citation }) =>
      `| \`${id}\` | ${cell(right)} | ${answer.status} \`${answer.code}\` | ${said(citation)} |`,
  ),
  ...changes.map(({ id, title: is, citation }) => `| \`${id}\` | ${cell(is)} | | ${said(citation)} |`),
]

const sectionOf = (name: string): string =>
  new RegExp(`^### ${name}\n\n(.*?)(?=\n*^##|\n*$(?![^]))`, 'ms').exec(page)?.[1] ?? ''

test.each(new StrictnessProfiles().all.map((profile) => [profile.name, profile] as const))(
  'the table of %s is that of its data',
  (name, profile) => {
    expect(sectionOf(name).trim().split('\n')).toEqual(tableOf(profile))
  },
)

test('there is one section for each profile', () => {
  const sections = [...page.matchAll(/^### (.*)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(new StrictnessProfiles().all.map(({ name }) => name))
})
