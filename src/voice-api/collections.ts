/** Collections of requests for API clients: those of FHIR, and the tools in plain mode, where the body is the arguments. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place, ToolDescription } from './tool-descriptions.ts'

const NAME = 'Sandbox EMR'

/** A variable of a collection; the user fills in what is blank. */
interface Variable {
  readonly name: string
  readonly value: string
  readonly isSecret?: boolean
}

const TOKEN: Variable = { name: 'token', value: '', isSecret: true }

const CALL_VARIABLES: readonly (Variable & { readonly header: string })[] = [
  { name: 'voiceSecret', header: 'x-voice-secret', value: '', isSecret: true },
  { name: 'callId', header: 'x-call-id', value: 'collection-1' },
  { name: 'callTo', header: 'x-call-to', value: '' },
  { name: 'callFrom', header: 'x-call-from', value: '' },
]

const variablesOf = ({ base }: Place): readonly Variable[] => [{ name: 'base', value: base }, TOKEN, ...CALL_VARIABLES]

interface SavedRequest {
  readonly name: string
  readonly description: string
  readonly method: string
  /** Begins with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: object
}

interface Folder {
  readonly name: string
  readonly requests: readonly SavedRequest[]
}

const FHIR_REQUESTS: readonly (Omit<SavedRequest, 'headers'> & Partial<SavedRequest>)[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../resources/collection-requests.json'), 'utf8'),
)

const FHIR: Folder = {
  name: 'FHIR',
  requests: FHIR_REQUESTS.map((one) => ({
    ...one,
    headers: {
      authorization: 'Bearer {{token}}',
      ...(one.body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
      ...one.headers,
    },
  })),
}

const ofTool = ({ name, description, path, example }: ToolDescription): SavedRequest => ({
  ...{ name, description, method: 'POST', path },
  headers: {
    'content-type': 'application/json',
    ...Object.fromEntries(CALL_VARIABLES.map((variable) => [variable.header, `{{${variable.name}}}`])),
  },
  body: example?.arguments ?? {},
})

/** One folder for each family, behind that of FHIR where none is chosen. */
const foldersOf = (tools: readonly ToolDescription[], { isChosen }: Place): readonly Folder[] => [
  ...(isChosen ? [] : [FHIR]),
  ...[...Map.groupBy(tools, ({ family }) => family)].map(([name, its]) => ({ name, requests: its.map(ofTool) })),
]

const textOf = (body: object): string => JSON.stringify(body, null, 2)

/** https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html */
export const postmanOf = (tools: readonly ToolDescription[], place: Place): object => ({
  info: { name: NAME, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  variable: variablesOf(place).map(({ name: key, value }) => ({ key, value, type: 'string' })),
  item: foldersOf(tools, place).map(({ name, requests }) => ({ name, item: requests.map(postmanItem) })),
})

const postmanItem = ({ name, description, method, path, headers, body }: SavedRequest) => ({
  name,
  request: {
    method,
    description,
    header: Object.entries(headers).map(([key, value]) => ({ key, value })),
    ...(body === undefined ? {} : { body: { mode: 'raw', raw: textOf(body), options: { raw: { language: 'json' } } } }),
    url: postmanUrl(path),
  },
})

function postmanUrl(path: string) {
  const [address = ''] = path.slice(1).split('?')
  const query = parametersOf(path).map(([key, value]) => ({ key, value }))
  return {
    raw: `{{base}}${path}`,
    host: ['{{base}}'],
    path: address.split('/'),
    ...(query.length === 0 ? {} : { query }),
  }
}

/** Names and values of the query. */
const parametersOf = (path: string): readonly (readonly [string, string])[] => [
  ...new URLSearchParams(path.split('?')[1]),
]

/** https://docs.usebruno.com/get-started/import-export-data/import-collections: a Bruno collection in one JSON file. */
export const brunoOf = (tools: readonly ToolDescription[], place: Place): object => ({
  version: '1',
  name: NAME,
  items: foldersOf(tools, place).map(({ name, requests }) => ({
    type: 'folder',
    name,
    items: requests.map(brunoItem),
  })),
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

const brunoItem = ({ name, description, method, path, headers, body }: SavedRequest, index: number) => ({
  type: 'http-request',
  name,
  seq: index + 1,
  request: {
    method,
    url: `{{base}}${path}`,
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value, enabled: true })),
    params: parametersOf(path).map(([name, value]) => ({ name, value, type: 'query', enabled: true })),
    auth: { mode: 'none' },
    body: body === undefined ? { mode: 'none' } : { mode: 'json', json: textOf(body) },
    docs: description,
  },
})
