/** Documents with long base64, of Patient/pat. */
import { createHash } from 'node:crypto'

export const MEGABYTE = 1024 * 1024

/** Bytes of which no two pieces are the same. */
export function pdf(size: number, seed = 1): Buffer {
  const bytes = createHash('shake256', { outputLength: size }).update(`${seed}`).digest()
  bytes.write('%PDF-1.7\n')
  return bytes
}

export const note = (bytes: Buffer, more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: 'Patient/pat' },
  ...more,
  content: [{ attachment: { contentType: 'application/pdf', data: bytes.toString('base64') } }],
})
