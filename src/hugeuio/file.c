// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of /dev/hugeuioN: events, and what the driver does about them.
 * UIO's ABI (Documentation/driver-api/uio-howto.rst), and what it leaves open
 * answered as drivers/uio/uio.c does, but for a device whose driver has left:
 * EIO from write() and EPOLLHUP from poll() say so there.
 */
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core.h"

/* info_lock held */
static int tell_driver_of_open(struct hugeuio_device *hdev,
			       struct inode *inode)
{
	struct uio_info *info = hdev->uio.info;
	int ret;

	if (!info)
		return -ENODEV;
	ret = hugeuio_locked_down(hdev);
	if (ret || !info->open)
		return ret;
	return info->open(info, inode);
}

static int hugeuio_open(struct inode *inode, struct file *file)
{
	struct hugeuio_device *hdev;
	struct hugeuio_file *hf;
	int ret;

	hdev = hugeuio_get(iminor(inode));
	if (!hdev)
		return -ENODEV;
	ret = -ENOMEM;
	hf = kzalloc(sizeof(*hf), GFP_KERNEL);
	if (!hf)
		goto put_device;
	hf->hdev = hdev;
	hf->client.name = dev_name(&hdev->uio.dev);
	hf->event_count = atomic_read(&hdev->uio.event);

	mutex_lock(&hdev->uio.info_lock);
	ret = tell_driver_of_open(hdev, inode);
	mutex_unlock(&hdev->uio.info_lock);
	if (ret)
		goto free_file;

	file->private_data = hf;
	file->f_mapping = hdev->inode->i_mapping;
	return 0;

free_file:
	kfree(hf);
put_device:
	hugeuio_put(hdev);
	return ret;
}

static int hugeuio_release(struct inode *inode, struct file *file)
{
	struct hugeuio_file *hf = file->private_data;
	struct hugeuio_device *hdev = hf->hdev;
	int ret = 0;

	mutex_lock(&hdev->uio.info_lock);
	if (hdev->uio.info && hdev->uio.info->release)
		ret = hdev->uio.info->release(hdev->uio.info, inode);
	hugeuio_eager_forget(hf);
	mutex_unlock(&hdev->uio.info_lock);

	kfree(hf);
	hugeuio_put(hdev);
	return ret;
}

static bool driver_has_left(const struct hugeuio_device *hdev)
{
	return !READ_ONCE(hdev->uio.info);
}

static bool has_interrupt(struct hugeuio_device *hdev)
{
	bool has;

	mutex_lock(&hdev->uio.info_lock);
	has = hdev->uio.info && hdev->uio.info->irq;
	mutex_unlock(&hdev->uio.info_lock);
	return has;
}

static bool has_event(const struct hugeuio_file *hf)
{
	return hf->event_count != atomic_read(&hf->hdev->uio.event);
}

static ssize_t hugeuio_read(struct file *file, char __user *buf, size_t count,
			    loff_t *ppos)
{
	struct hugeuio_file *hf = file->private_data;
	struct hugeuio_device *hdev = hf->hdev;
	s32 event_count;
	int ret;

	if (count != sizeof(event_count))
		return -EINVAL;
	if (!has_interrupt(hdev))
		return -EIO;
	if ((file->f_flags & O_NONBLOCK) && !has_event(hf))
		return driver_has_left(hdev) ? -EIO : -EAGAIN;
	ret = wait_event_interruptible(hdev->uio.wait,
				       has_event(hf) || driver_has_left(hdev));
	if (ret)
		return ret;
	if (driver_has_left(hdev))
		return -EIO;

	event_count = atomic_read(&hdev->uio.event);
	if (copy_to_user(buf, &event_count, sizeof(event_count)))
		return -EFAULT;
	hf->event_count = event_count;
	return sizeof(event_count);
}

static ssize_t hugeuio_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *ppos)
{
	struct hugeuio_file *hf = file->private_data;
	struct hugeuio_device *hdev = hf->hdev;
	struct uio_info *info;
	ssize_t ret;
	s32 irq_on;

	if (count != sizeof(irq_on))
		return -EINVAL;
	if (copy_from_user(&irq_on, buf, sizeof(irq_on)))
		return -EFAULT;

	mutex_lock(&hdev->uio.info_lock);
	info = hdev->uio.info;
	if (!info || !info->irq)
		ret = -EIO;
	else if (!info->irqcontrol)
		ret = -ENOSYS;
	else
		ret = info->irqcontrol(info, irq_on);
	mutex_unlock(&hdev->uio.info_lock);
	return ret ?: sizeof(irq_on);
}

static __poll_t hugeuio_poll(struct file *file, poll_table *wait)
{
	struct hugeuio_file *hf = file->private_data;
	struct hugeuio_device *hdev = hf->hdev;

	poll_wait(file, &hdev->uio.wait, wait);
	if (driver_has_left(hdev))
		return EPOLLERR | EPOLLHUP;
	if (!has_interrupt(hdev))
		return EPOLLERR;
	return has_event(hf) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* fput() takes a file off the list before it calls release() */
static int hugeuio_fasync(int fd, struct file *file, int on)
{
	struct hugeuio_file *hf = file->private_data;

	return fasync_helper(fd, file, on, &hf->hdev->uio.async_queue);
}

static long hugeuio_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct hugeuio_file *hf = file->private_data;

	return hugepfn_client_ioctl(&hf->client, file, cmd,
				    (void __user *)arg);
}

static void hugeuio_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct hugeuio_file *hf = file->private_data;

	hugepfn_client_show(&hf->client, m);
}

const struct file_operations hugeuio_fops = {
	.owner = THIS_MODULE,
	.open = hugeuio_open,
	.release = hugeuio_release,
	.read = hugeuio_read,
	.write = hugeuio_write,
	.poll = hugeuio_poll,
	.fasync = hugeuio_fasync,
	.unlocked_ioctl = hugeuio_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = hugeuio_show_fdinfo,
	.mmap = hugeuio_mmap,
	.get_unmapped_area = hugeuio_get_unmapped_area,
	.llseek = noop_llseek,
};
