/** Responses whose contents are too large to be sent at once. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { MEGABYTE, note, pdf } from '../support/inline-content.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let ours: TwoClinics['ours']

beforeAll(async () => {
  clinics = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 2 })
  ours = clinics.ours
  await ours('PUT', '/Patient/pat', { resourceType: 'Patient', id: 'pat' })
})
afterAll(() => clinics.server.close())

describe('an answer of more than 256 MiB of contents', () => {
  const bytes = pdf(19 * MEGABYTE, 3)
  const data = bytes.toString('base64')
  const _data = {
    extension: [{ url: 'urn:sandbox-emr:content', valueString: createHash('sha256').update(bytes).digest('hex') }],
  }
  const identifier = [{ system: 'urn:x', value: 'too-much' }]

  test('is refused where it is read, and where it tells of a change it has those that fit', async () => {
    await ours('POST', '/DocumentReference', note(bytes))
    const content = Array.from({ length: 14 }, () => ({ attachment: { contentType: 'application/pdf', _data } }))
    const created = await ours('POST', '/DocumentReference', { ...note(pdf(40_000)), identifier, content })
    expect(created.status).toBe(201)
    const given = created.body.content.map(
      ({ attachment }: { attachment: { data?: string } }) => attachment.data === data,
    )
    expect(given).toEqual([...Array(13).fill(true), false])
    expect(created.body.content[13].attachment._data).toEqual(_data)
    for (const path of [`/DocumentReference/${created.body.id}`, '/DocumentReference?identifier=too-much']) {
      const refused = await ours('GET', path)
      expect([refused.status, refused.body.issue[0].code]).toEqual([413, 'too-costly'])
      expect(refused.body.issue[0].diagnostics).toMatch(/_count.*_elements/)
      expect(refused.headers.get('etag')).toBeNull()
      expect((await ours('HEAD', path)).status).toBe(413)
    }
  })
})
