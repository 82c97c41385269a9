/** ImplementationGuide: the standard interactions, and the installation of packages. */

import { defineProvider, standard } from '../core/provider.ts'
import { implementationGuideInstall } from '../operations/implementation-guide-install.ts'

export const implementationGuide = defineProvider('ImplementationGuide', {
  interactions: standard,
  operations: [implementationGuideInstall],
})
