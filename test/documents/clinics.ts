/** A server with a clinic for each set of document settings. */

import { createClinic } from '../../src/clinics/clinics.ts'
import type { DocumentSettings } from '../../src/clinics/document-settings.ts'
import type { TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

export interface DocumentClinic {
  readonly fhir: TestServer['fhir']
  readonly token: string
  /** The id of a Patient. */
  readonly patient: string
}

export async function documentClinic(
  server: TestServer,
  id: string,
  documents?: DocumentSettings,
): Promise<DocumentClinic> {
  await createClinic(server.app.repository, id, {
    name: id,
    timeZone: 'UTC',
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
    ...(documents && { documents }),
  })
  const { fhir, token } = withToken(server, await logInAs(server, { username: id, clinic: id, role: 'staff' }))
  return { fhir, token, patient: (await fhir('POST', '/Patient', { resourceType: 'Patient' })).body.id }
}

export const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64')

/** Good under every strictness. */
export const note = (patient: string, attachment: object = {}, more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  type: { coding: [{ system: 'http://loinc.org', code: '11506-3' }] },
  category: [
    {
      coding: [
        { system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category', code: 'clinical-note' },
      ],
    },
  ],
  subject: { reference: `Patient/${patient}` },
  date: '2026-03-01T09:00:00Z',
  content: [
    { attachment: { contentType: 'text/plain;charset=utf-8', data: base64('Patient feels well.'), ...attachment } },
  ],
  ...more,
})
