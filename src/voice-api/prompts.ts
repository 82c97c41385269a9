/** System prompts for agents, from resources/prompts/: how every call goes, then a file for each family of tools. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolDescription } from './tool-descriptions.ts'

const FOLDER = join(import.meta.dirname, '../../resources/prompts')

/** The file that precedes those of families, whose names have no underscore. */
const EVERY_CALL = 'every_call'

/** In Markdown, for an agent that has these tools. */
export function promptOf(tools: readonly ToolDescription[]): string {
  const families = Map.groupBy(tools, ({ family }) => family)
  return [textOf(EVERY_CALL), ...[...families].map(([family, its]) => textOf(family) ?? listOf(family, its))].join('\n')
}

/** Read at each request, as agents are set up seldom. Undefined for a family of an extension. */
function textOf(name: string): string | undefined {
  const file = join(FOLDER, `${name}.md`)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

const listOf = (family: string, tools: readonly ToolDescription[]): string =>
  [`## ${family}`, '', ...tools.map(({ name, description }) => `- \`${name}\`: ${description}`), ''].join('\n')
