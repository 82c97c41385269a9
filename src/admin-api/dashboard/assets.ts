/** The built files of the dashboard, each with the forms in which it was compressed when it was built. */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { ENCODINGS } from '../../fhir-api/compressed.ts'
import type { BuildFolder } from './build-folder.ts'

export interface Asset {
  readonly mediaType: string
  readonly body: Buffer
  readonly encoding?: 'br' | 'gzip'
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** As the build names them: no separators, nothing hidden. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(css|js|svg|woff2)$/
const SUFFIX = { br: '.br', gzip: '.gz' } as const

export class Assets {
  readonly #builds: BuildFolder
  /** By path. Only files that there are, of builds that are kept. */
  readonly #read = new Map<string, Buffer>()

  constructor(builds: BuildFolder) {
    this.#builds = builds
  }

  /** Finds also files of the previous version, as open pages continue after an upgrade. */
  async find(name: string, acceptEncoding: string): Promise<Asset | undefined> {
    if (!NAME.test(name)) return undefined
    for (const folder of [this.#builds.current, ...this.#builds.earlier().slice(0, 1)]) {
      const found = await this.#in(join(folder, 'assets', name), acceptEncoding)
      if (found !== undefined) return found
    }
    return undefined
  }

  async #in(path: string, acceptEncoding: string): Promise<Asset | undefined> {
    const mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
    for (const { name, refused } of ENCODINGS) {
      if (!acceptEncoding.includes(name) || refused.test(acceptEncoding)) continue
      const body = await this.#contentOf(path + SUFFIX[name])
      if (body !== undefined) return { mediaType, body, encoding: name }
    }
    const body = await this.#contentOf(path)
    return body && { mediaType, body }
  }

  async #contentOf(path: string): Promise<Buffer | undefined> {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    try {
      const body = await readFile(path)
      this.#read.set(path, body)
      return body
    } catch {
      return undefined
    }
  }
}
