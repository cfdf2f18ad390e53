import { defineConfig } from 'niceeval';

export default defineConfig({ maxConcurrency: 2 });
