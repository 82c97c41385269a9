/** The files of the demo clinic in resources/sandbox, each a Bundle of type collection. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bundle } from 'fhir/r4'
import type { AnyResource } from '../fhir/resource.ts'

const FOLDER = join(import.meta.dirname, '../../resources/sandbox')

export async function load<R extends AnyResource = AnyResource>(name: string): Promise<readonly R[]> {
  const { entry = [] } = JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8')) as Bundle
  return entry.map(({ resource }) => resource as unknown as R)
}
