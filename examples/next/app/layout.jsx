import { Tracking } from './tracking.jsx';

export const metadata = { title: 'Shop', icons: 'data:,' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <Tracking>{children}</Tracking>
      </body>
    </html>
  );
}
