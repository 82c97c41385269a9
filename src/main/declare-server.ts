/** Declares the server: its providers with what extensions add, and the CapabilityStatement that is generated from them. */
import type { CapabilityStatement } from 'fhir/r4'
import { capabilityStatement } from '../capability/statement.ts'
import type { Config } from '../config.ts'
import type { Operation } from '../core/operation.ts'
import { type Provider, standardProvider } from '../core/provider.ts'
import { addShippedResources } from '../core/shipped.ts'
import { topicResource } from '../events/topic-resource.ts'
import { topics } from '../events/topics.ts'
import { declarationsWith } from '../extensions/declarations.ts'
import { installDefinitions } from '../extensions/definitions.ts'
import type { LoadedExtension } from '../extensions/extension.ts'
import { specialProviders } from '../providers/index.ts'
import { registerProviders, systemInteractions, systemOperations } from '../providers/registry.ts'

/** The declared interactions and operations, and the CapabilityStatement generated from them. */
export interface Declared {
  readonly providers: ReadonlyMap<string, Provider>
  readonly system: ReturnType<typeof systemInteractions>
  /** The operations at system level. */
  readonly systemOperations: readonly Operation[]
  readonly statement: CapabilityStatement
}

type Declaring = Pick<Config, 'disabledInteractions' | 'fullText' | 'corsOrigins' | 'limits'>

/**
 * Declares the server with the additions of extensions. From here on this process has their search parameters and
 * profiles.
 * @throws Error naming the wrong declaration, and its extension
 */
export function declareServer(
  { disabledInteractions, fullText, corsOrigins, limits }: Declaring,
  extensions: readonly LoadedExtension[],
  special: readonly Provider[] = specialProviders,
): Declared {
  installDefinitions(extensions)
  // Their criteria may use search parameters of extensions.
  addShippedResources(topics().map(topicResource))
  const declared = declarationsWith(extensions, { providers: special, systemOperations })
  const providers = registerProviders(declared.providers, standardProvider, disabledInteractions)
  const system = systemInteractions(disabledInteractions)
  const profiles = extensions.flatMap((extension) => extension.profiles ?? [])
  const operations = declared.systemOperations
  const statement = capabilityStatement(providers, system, {
    fullText,
    cors: corsOrigins.length > 0,
    operations,
    profiles,
    limits,
  })
  return { providers, system, systemOperations: operations, statement }
}
