/** FHIR packages: a tar file (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html) before it is gzipped. */
const BLOCK = 512

interface File {
  readonly path: string
  readonly text: string
}

const MANIFEST: File = {
  path: 'package/package.json',
  text: JSON.stringify({ name: 'hostile', version: '1.0.0', fhirVersions: ['4.0.1'] }),
}

/** The tar file of a package with these files and its manifest. */
export const packageOf = (files: readonly File[]): Buffer =>
  Buffer.concat([...[MANIFEST, ...files].map(entryOf), Buffer.alloc(2 * BLOCK)])

function entryOf({ path, text }: File): Buffer {
  const content = Buffer.from(text)
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
  return Buffer.concat([headerOf(path, content.length), content, padding])
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(path, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
