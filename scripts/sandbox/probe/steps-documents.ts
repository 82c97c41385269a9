/** Documents, which are written back and read, and the shapes of refusals. */
import type { DocumentReference } from 'fhir/r4'
import {
  create,
  given,
  matchesIn,
  must,
  mustBeRefused,
  mustHaveStatus,
  type Probe,
  type ProbeStep,
  read,
} from './step.ts'

const DOCUMENT = 'https://hl7.org/fhir/R4/documentreference.html'
const TEXT = 'Written by a probe: seen today, all well – no café.'
const DATA = Buffer.from(TEXT).toString('base64')

const documentOf = ({ patient }: Probe): DocumentReference => ({
  resourceType: 'DocumentReference',
  status: 'current',
  docStatus: 'final',
  type: { coding: [{ system: 'http://loinc.org', code: '34109-9', display: 'Note' }] },
  subject: { reference: `Patient/${given(patient, 'no Patient').id}` },
  date: new Date().toISOString(),
  content: [{ attachment: { contentType: 'text/plain;charset=utf-8', data: DATA, title: 'A probe' } }],
})

/** The bytes of the document, in it or at the address that it gives. @throws Wrong */
async function contentOf({ target }: Probe, { content }: DocumentReference): Promise<string> {
  const { data, url } = content[0]?.attachment ?? {}
  if (data !== undefined) return Buffer.from(data, 'base64').toString()
  must(url !== undefined, 'The attachment has neither data nor a url')
  const below = url.startsWith(`${target.base}/`) ? url.slice(target.base.length + 1) : url
  must(!/^[a-z]+:/i.test(below), `The content is on another server, at ${url}`)
  const answer = await target.get(below, { accept: 'text/plain' })
  mustHaveStatus(answer, 200)
  return answer.text
}

export const DOCUMENTS: readonly ProbeStep[] = [
  {
    id: 'document-create',
    title: 'Takes a note as a DocumentReference',
    source: DOCUMENT,
    needs: [{ type: 'DocumentReference', interaction: 'create' }],
    after: ['patient-create'],
    run: async (probe) => {
      probe.document = await create(probe, documentOf(probe))
      return `DocumentReference/${probe.document} was created.`
    },
  },
  {
    id: 'document-read',
    title: 'Reads the note as it was written, byte for byte',
    source: DOCUMENT,
    needs: [{ type: 'DocumentReference', interaction: 'read' }],
    after: ['document-create'],
    run: async (probe) => {
      const id = given(probe.document, 'no document')
      const text = await contentOf(probe, await read<DocumentReference>(probe, 'DocumentReference', id))
      must(text === TEXT, `The content has ${text.length} characters, and is not what was written`)
      return 'The content is what was written.'
    },
  },
  {
    id: 'document-search',
    title: 'Finds the note by its patient',
    source: DOCUMENT,
    needs: [{ type: 'DocumentReference', interaction: 'search-type', parameters: ['patient'] }],
    after: ['document-create'],
    run: async (probe) => {
      const query = new URLSearchParams({ patient: `Patient/${given(probe.patient, 'no Patient').id}` })
      const answer = await probe.target.get(`DocumentReference?${query}`)
      const ids = matchesIn<DocumentReference>(answer, 'DocumentReference').map(({ id }) => id)
      must(ids.length === 1 && ids[0] === probe.document, `It finds ${ids.length} documents, not the one alone`)
      return 'The search finds the one document.'
    },
  },
]

const OUTCOME = 'https://hl7.org/fhir/R4/operationoutcome.html'
const CREATES = [{ type: 'Patient', interaction: 'create' }]

export const REFUSALS: readonly ProbeStep[] = [
  {
    id: 'not-found',
    title: 'Says by 404 and an OperationOutcome that there is no such resource',
    source: 'https://hl7.org/fhir/R4/http.html#read',
    needs: [{ type: 'Patient', interaction: 'read' }],
    run: async ({ target, tag }) => {
      mustBeRefused(await target.get(`Patient/nobody-${tag}`), 404)
      return 'It is 404, with an OperationOutcome.'
    },
  },
  {
    id: 'unknown-parameter',
    title: 'Refuses an unknown search parameter where handling is strict',
    source: 'https://hl7.org/fhir/R4/search.html#errors',
    needs: [{ type: 'Patient', interaction: 'search-type' }],
    run: async ({ target }) => {
      mustBeRefused(await target.get('Patient?no-such-parameter=1', { prefer: 'handling=strict' }), 400)
      return 'It is 400, with an OperationOutcome.'
    },
  },
  {
    id: 'bad-json',
    title: 'Refuses a body that is no JSON by 400 and an OperationOutcome',
    source: OUTCOME,
    needs: CREATES,
    run: async ({ target }) => {
      mustBeRefused(await target.ask('POST', 'Patient', { body: '{"resourceType":"Patient",' }), 400)
      return 'It is 400, with an OperationOutcome.'
    },
  },
  {
    id: 'bad-code',
    title: 'Refuses a code that is not in a required value set by an OperationOutcome',
    source: 'https://hl7.org/fhir/R4/http.html#create',
    needs: CREATES,
    run: async (probe) => {
      const answer = await probe.target.ask('POST', 'Patient', { body: { resourceType: 'Patient', gender: 'f' } })
      const { id } = (answer.body ?? {}) as { id?: string }
      if (answer.status < 300 && id !== undefined) probe.created.push(`Patient/${id}`)
      mustBeRefused(answer, 400, 422)
      return `It is ${answer.status}, with an OperationOutcome.`
    },
  },
]
