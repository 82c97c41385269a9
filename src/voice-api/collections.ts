/** The tools as collections of requests for API clients, in plain mode: the body is the arguments. */
import type { Place, ToolDescription } from './tool-descriptions.ts'

const NAME = 'Sandbox EMR tools'

/** A variable of a collection; the user fills in what is blank. */
interface Variable {
  readonly name: string
  readonly value: string
  readonly isSecret?: boolean
}

const CALL_VARIABLES: readonly (Variable & { readonly header: string })[] = [
  { name: 'voiceSecret', header: 'x-voice-secret', value: '', isSecret: true },
  { name: 'callId', header: 'x-call-id', value: 'collection-1' },
  { name: 'callTo', header: 'x-call-to', value: '' },
  { name: 'callFrom', header: 'x-call-from', value: '' },
]

const variablesOf = ({ base }: Place): readonly Variable[] => [{ name: 'base', value: base }, ...CALL_VARIABLES]

/** Names and values of the headers of each request. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ...CALL_VARIABLES.map(({ name, header }) => [header, `{{${name}}}`] as const),
]

const bodyOf = ({ example }: ToolDescription): string => JSON.stringify(example?.arguments ?? {}, null, 2)

/** One folder for each family. */
const inFolders = <Folder>(
  tools: readonly ToolDescription[],
  folderOf: (family: string, tools: readonly ToolDescription[]) => Folder,
): readonly Folder[] =>
  [...Map.groupBy(tools, ({ family }) => family)].map(([family, ofFamily]) => folderOf(family, ofFamily))

/** https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html */
export const postmanOf = (tools: readonly ToolDescription[], place: Place): object => ({
  info: { name: NAME, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  variable: variablesOf(place).map(({ name: key, value }) => ({ key, value, type: 'string' })),
  item: inFolders(tools, (name, ofFamily) => ({ name, item: ofFamily.map(postmanItem) })),
})

const postmanItem = (tool: ToolDescription) => ({
  name: tool.name,
  request: {
    method: 'POST',
    description: tool.description,
    header: HEADERS.map(([key, value]) => ({ key, value })),
    body: { mode: 'raw', raw: bodyOf(tool), options: { raw: { language: 'json' } } },
    url: { raw: `{{base}}${tool.path}`, host: ['{{base}}'], path: tool.path.slice(1).split('/') },
  },
})

/** https://docs.usebruno.com/get-started/import-export-data/import-collections: a Bruno collection in one JSON file. */
export const brunoOf = (tools: readonly ToolDescription[], place: Place): object => ({
  version: '1',
  name: NAME,
  items: inFolders(tools, (name, ofFamily) => ({ type: 'folder', name, items: ofFamily.map(brunoItem) })),
  environments: [
    {
      name: 'Server',
      variables: variablesOf(place).map(({ name, value, isSecret = false }) => ({
        name,
        value,
        type: 'text',
        enabled: true,
        secret: isSecret,
      })),
    },
  ],
})

const brunoItem = (tool: ToolDescription, index: number) => ({
  type: 'http-request',
  name: tool.name,
  seq: index + 1,
  request: {
    method: 'POST',
    url: `{{base}}${tool.path}`,
    headers: HEADERS.map(([name, value]) => ({ name, value, enabled: true })),
    params: [],
    auth: { mode: 'none' },
    body: { mode: 'json', json: bodyOf(tool) },
    docs: tool.description,
  },
})
