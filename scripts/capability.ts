/** `npm run capability`: writes capability/statement.json, so that a change of what is served shows in a diff. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capabilityStatement } from '../src/capability/statement.ts'
import { standardProvider } from '../src/core/standard.ts'
import { specialProviders } from '../src/providers/index.ts'
import { registerProviders, systemInteractions } from '../src/providers/registry.ts'

const statement = capabilityStatement(registerProviders(specialProviders, standardProvider), systemInteractions())
writeFileSync(join(import.meta.dirname, '../capability/statement.json'), `${JSON.stringify(statement, null, 2)}\n`)
