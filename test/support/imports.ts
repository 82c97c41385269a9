/** Imports of files of NDJSON, and a server that has such files. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ASYNC } from './jobs.ts'
import type { FhirResponse, TestServer } from './server.ts'

export const ndjson = (...lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export interface Input {
  readonly type?: string
  readonly url: string
}

/** @param more further parameters */
export const importParameters = (inputs: readonly Input[], more: Readonly<Record<string, string>> = {}) => ({
  resourceType: 'Parameters',
  parameter: [
    ...Object.entries({ inputFormat: 'application/fhir+ndjson', ...more }).map(([name, valueString]) => ({
      name,
      valueString,
    })),
    ...inputs.map(({ type, url }) => ({
      name: 'input',
      part: [...(type === undefined ? [] : [{ name: 'type', valueCode: type }]), { name: 'url', valueUri: url }],
    })),
  ],
})

export const startImport = (
  fhir: TestServer['fhir'],
  inputs: readonly Input[],
  more?: Readonly<Record<string, string>>,
): Promise<FhirResponse> => fhir('POST', '/$import', importParameters(inputs, more), ASYNC)

/** The address of a file that a clinic has. */
export async function uploaded(fhir: TestServer['fhir'], text: string | Buffer): Promise<string> {
  const { status, body } = await fhir('POST', '/Binary', text, { 'content-type': 'application/fhir+ndjson' })
  if (status !== 201) throw new Error(`Not stored: ${status}`)
  return `Binary/${body.id}`
}

export interface FileServer {
  readonly url: string
  /** Its files, by path and query. */
  readonly files: Map<string, RequestListener>
  readonly close: () => void
}

export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, RequestListener>()
  const server = createServer((asked, response) => {
    const serve = files.get(asked.url ?? '')
    if (serve === undefined) response.writeHead(404).end()
    else serve(asked, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, files, close }
}
