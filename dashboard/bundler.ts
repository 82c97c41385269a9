/** Vite, which bundles the dashboard or serves its sources; scripts/dashboard.ts runs it. */
import { build, createServer, type InlineConfig } from 'vite'

const COMMON: InlineConfig = {
  configFile: false,
  logLevel: 'error',
  // Files refer to each other by relative paths, so that a proxy may serve the dashboard under any path.
  base: './',
}

const OUTPUT = {
  emptyOutDir: true,
  assetsDir: 'assets',
  target: 'es2023',
  cssMinify: false,
  reportCompressedSize: false,
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  chunkSizeWarningLimit: 1000,
} as const

/**
 * @param root the folder of the sources
 * @param nonce what stands for the nonce in the page
 */
export async function bundle(root: string, outDir: string, nonce: string): Promise<void> {
  await build({ ...COMMON, root, html: { cspNonce: nonce }, build: { ...OUTPUT, outDir } })
}

/** Serves the sources, and loads the page again when one changes; all other requests go to `server`. */
export async function serveSources(root: string, server: string, nonce: string): Promise<void> {
  const vite = await createServer({
    ...COMMON,
    root,
    base: '/dashboard/',
    html: { cspNonce: nonce },
    // Beside the packages: what lies in the folder of the sources counts as one of them.
    cacheDir: '../node_modules/.vite',
    server: { host: '127.0.0.1', proxy: { '^/(?!dashboard|@|node_modules)': { target: server, changeOrigin: false } } },
    plugins: [{ name: 'base', transformIndexHtml: (html) => html.replaceAll('__BASE__', '/dashboard/') }],
  })
  await vite.listen()
  vite.printUrls()
}
