/** Examples of the rules of strict-r4. */
import { type Example, type ExamplesOf, PATIENT, patient, post, searches, type World } from './example.ts'

async function created({ server }: World, method: string, more: Partial<Example> = {}): Promise<Example> {
  const { body, headers } = await server.fhir('POST', '/Patient', patient())
  const etag = headers.get('etag') ?? ''
  return { method, path: `/Patient/${body.id}`, headers: { 'if-match': etag }, ...more }
}

export const strict: ExamplesOf = {
  'unknown-parameter': searches('/Patient?family=Smith', '/Patient?familiy=Smith'),
  'unknown-modifier': searches('/Patient?family:exact=Smith', '/Patient?family:precise=Smith'),
  'if-match': {
    passes: (world) => created(world, 'DELETE'),
    refused: (world) => created(world, 'DELETE', { headers: {} }),
  },
  'mime-type': {
    passes: () => post('/Patient', patient(), { 'content-type': 'application/fhir+json; charset=utf-8' }),
    refused: () => post('/Patient', patient({ link: [{ other: { reference: PATIENT }, type: 'seealso' }] }), JSON_TYPE),
  },
}

const JSON_TYPE = { 'content-type': 'application/json' }
