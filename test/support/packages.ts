/** FHIR packages as tests need them: a gzipped tar file of a few entries. */
import { gzipSync } from 'node:zlib'

export interface TarFile {
  readonly path: string
  readonly text: string
  /** `0` is a file, `2` a link, `5` a folder, `L` a long name, `x` extended headers. */
  readonly kind?: string
}

const BLOCK = 512

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

function block({ path, text, kind = '0' }: TarFile): Buffer {
  const content = Buffer.from(text)
  const header = Buffer.alloc(BLOCK)
  header.write(path.slice(0, 100), 0)
  header.write(octal(0o644, 8), 100)
  header.write(octal(content.length, 12), 124)
  header.write(' '.repeat(8), 148)
  header.write(kind, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(octal(sum, 8), 148)
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}

export const tarOf = (files: readonly TarFile[]): Buffer =>
  Buffer.concat([...files.map(block), Buffer.alloc(2 * BLOCK)])

/** A package of these resources; each is a file named after its type and id. */
export const packageOf = (
  resources: readonly object[],
  manifest: object = { name: 'test.package', version: '1.0.0', fhirVersions: ['4.0.1'] },
): Buffer =>
  gzipSync(
    tarOf([
      { path: 'package/package.json', text: JSON.stringify(manifest) },
      ...resources.map((resource, index) => ({
        path: `package/resource-${index}.json`,
        text: JSON.stringify(resource),
      })),
    ]),
  )
