/** `npm run definitions`: writes the compact R4 definitions used by the server to resources/r4. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caseSensitiveSystems } from './definitions/case-sensitive-systems.ts'
import { namingSystems } from './definitions/naming-systems.ts'
import { profileLines } from './definitions/profiles.ts'
import { searchParameters } from './definitions/search-parameters.ts'
import { structures } from './definitions/structures.ts'
import { terminologyLines } from './definitions/terminology.ts'
import { definitionsText } from './definitions/text.ts'
import { types } from './definitions/types.ts'
import { valueSets } from './definitions/value-sets.ts'

const FOLDER = join(import.meta.dirname, '..', 'resources', 'r4')

const files = {
  'structures.json': structures(),
  'value-sets.json': valueSets(),
  'search-parameters.json': searchParameters(),
  'naming-systems.json': namingSystems(),
  'case-sensitive-systems.json': caseSensitiveSystems(),
}

for (const [name, content] of Object.entries(files)) writeFileSync(join(FOLDER, name), definitionsText(content))
writeFileSync(join(FOLDER, 'terminology.jsonl'), terminologyLines())
writeFileSync(join(FOLDER, 'profiles.jsonl'), profileLines())
writeFileSync(join(FOLDER, 'types.d.ts'), types())
